/**
 * Makes `dist`, JavaScript and types, of `src`; part of `npm install` here and of `npm pack`. Where the compiler is not
 * installed (`npm ci --omit=dev`) there is nothing to do: the service itself does not need the client.
 */
import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))

function compiler() {
  try {
    return createRequire(import.meta.url).resolve('typescript/bin/tsc')
  } catch {
    return undefined
  }
}

const tsc = compiler()
if (tsc === undefined) process.stderr.write('The client is not built: typescript is not installed.\n')
else {
  rmSync(new URL('dist', import.meta.url), { recursive: true, force: true })
  execFileSync(process.execPath, [tsc, '--project', 'tsconfig.json'], { cwd: here, stdio: 'inherit' })
}
