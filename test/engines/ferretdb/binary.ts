/** Which FerretDB the tests use, and where it lies once it is built. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** As in `go.mod`. */
export const VERSION = 'v1.24.2'

const cache = join(import.meta.dirname, '..', '..', '..', '.cache')
const sources = ['main.go', 'version.go', 'go.sum'].map((name) =>
  readFileSync(join(import.meta.dirname, name)),
)
const digest = createHash('sha256').update(Buffer.concat(sources)).digest('hex').slice(0, 8)

/** Another one as soon as anything that it is built from changes. */
export const binary = join(cache, `ferretdb-${VERSION}-${digest}`, 'ferretdb')

/** What the binary says it is; undefined when there is none that runs. */
export async function installedVersion(): Promise<string | undefined> {
  try {
    return (await promisify(execFile)(binary, ['--version'])).stdout.trim()
  } catch {
    return undefined
  }
}
