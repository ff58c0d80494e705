/** Installs a Python program of the tests into an environment of its own; ends with 1 and says why when it cannot be installed. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

export interface PythonProgram {
  readonly name: string
  /** Where it is; undefined: it is not there yet. */
  readonly found: string | undefined
  readonly environment: string
  /** As pip names them, with their versions. */
  readonly packages: readonly string[]
  readonly installed?: () => void
}

const run = promisify(execFile)

export async function installPython(program: PythonProgram): Promise<void> {
  const { name, found, environment, packages, installed } = program
  if (found !== undefined) return console.log(`${name} is installed: ${found}`)
  try {
    await run('python3', ['-m', 'venv', environment])
    await run(join(environment, 'bin', 'pip'), ['install', '-q', ...packages])
    installed?.()
    console.log(`${name} is installed`)
  } catch (error) {
    const { message, stderr } = error as { message?: string; stderr?: string }
    console.error(`${name} cannot be installed: ${stderr?.trim() || message}`)
    process.exitCode = 1
  }
}
