/** The service as its users run it: a process of its own that prints, ends with a code, and obeys signals. */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { newFolder, type HeaderValues } from '../../support/service.ts'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface MainProcess {
  readonly pid: number
  readonly url: string
  stdout(): string
  /** When it ends by itself. */
  readonly ended: Promise<Ended>
  /** Sends the signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<Ended>
  /** Of one that a command started: the command, and whatever it left. */
  killAll(): void
}

/** No start takes this long; it only ends a wait that would be for ever. */
const LONGEST_MS = 30_000

const ROOT = join(import.meta.dirname, '..', '..', '..')
const NODE = [process.execPath, join(ROOT, 'src', 'main.js')] as const

/** Runs it with just these settings, on a free port and in a folder of its own unless they say otherwise. */
function run(settings: HeaderValues, [program, ...args]: readonly [string, ...string[]] = NODE) {
  const { PATH = '' } = process.env
  const own = settings['DATA_DIR'] === undefined ? newFolder() : undefined
  const child = spawn(program, args, {
    cwd: ROOT,
    // A group of its own: what a command leaves can then be killed.
    detached: program !== process.execPath,
    env: { PATH, PORT: '0', LOG_LEVEL: 'warn', ...(own && { DATA_DIR: own }), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString()))
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS)
  const ended = new Promise<Ended>((resolve) =>
    child.once(program === process.execPath ? 'close' : 'exit', (code, signal) => {
      clearTimeout(timer)
      if (own) rmSync(own, { recursive: true, force: true })
      resolve({ code, signal, ...printed })
    }),
  )
  return { child, printed, ended, isReady: () => clearTimeout(timer) }
}

/** Starts it, which must succeed. `command`: by which, in place of `node src/main.js`. */
export async function startMain(
  settings: HeaderValues,
  command?: readonly [string, ...string[]],
): Promise<MainProcess> {
  const { child, printed, ended, isReady } = run(settings, command)
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const ready = /^Daybook is ready on (\S+)\n/m.exec(printed.stdout)
      if (ready) resolve(ready[1] ?? '')
    })
    void ended.then(({ code, signal, stderr }) =>
      reject(new Error(`it ended by ${signal ?? code} before it was ready: ${stderr}`)),
    )
  })
  isReady()
  return {
    pid: child.pid!,
    url,
    stdout: () => printed.stdout,
    ended,
    end(signal) {
      child.kill(signal)
      return ended
    },
    killAll() {
      try {
        process.kill(-child.pid!, 'SIGKILL')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
    },
  }
}

/** Runs it to its end, which must come by itself. */
export async function failedStart(settings: HeaderValues): Promise<Ended> {
  const { ended } = run(settings)
  const end = await ended
  if (end.signal) throw new Error(`it neither ended nor failed: ${end.stdout}${end.stderr}`)
  return end
}
