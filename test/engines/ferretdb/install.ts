/**
 * Builds the MongoDB-protocol server of the tests, FerretDB, into the repository's `.cache`, unless it is there already.
 *
 *     node test/engines/ferretdb/install.ts
 *
 * Needs Go (1.24 or later) and its module proxy the first time. Ends with 1 and says why when it cannot be had.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { binary, installedVersion, VERSION } from './binary.ts'

const run = promisify(execFile)

async function install(): Promise<void> {
  if ((await installedVersion()) === VERSION) {
    console.log(`FerretDB ${VERSION} is installed: ${binary}`)
    return
  }
  try {
    await run('go', ['version'])
  } catch {
    throw new Error('Go is not installed, and FerretDB is built with it: https://go.dev/dl (1.24 or later)')
  }
  console.log(`building FerretDB ${VERSION}; the first time takes some minutes`)
  mkdirSync(dirname(binary), { recursive: true })
  const building = `${binary}.${process.pid}`
  await run('go', ['build', '-trimpath', '-tags', 'ferretdb_no_postgresql', '-o', building, '.'], {
    cwd: import.meta.dirname,
    maxBuffer: 64 * 1024 * 1024,
  })
  renameSync(building, binary) // all or nothing: two installs at once do no harm
  const version = await installedVersion()
  if (version !== VERSION) throw new Error(`what was built says it is FerretDB ${version}, not ${VERSION}`)
  console.log(`FerretDB ${VERSION} is installed: ${binary}`)
}

install().catch((error: unknown) => {
  const { message, stderr } = error as { message?: string; stderr?: string }
  console.error(`FerretDB ${VERSION} cannot be installed: ${stderr?.trim() || message}`)
  process.exitCode = 1
})
