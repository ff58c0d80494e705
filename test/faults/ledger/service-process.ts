/**
 * The service as its users have it: a process of its own, started by its main file, ended by signals.
 *
 * No started process outlives this one, or the test that started it.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ServiceProcess {
  readonly url: string
  readonly pid: number
  readonly token: string
  /** From the start of the process to its ready line. */
  readonly readyMs: number
  readonly exited: Promise<Exit>
  isRunning(): boolean
  /** What it has printed so far. */
  output(): string
  /** Sends the signal and resolves when the process has ended. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<Exit>
}

export interface ServiceOptions {
  readonly dataDir: string
  /** Further settings. */
  readonly settings?: Readonly<Record<string, string>>
  /** A module that the process loads before anything else, in every thread: where faults come from. */
  readonly preload?: string
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const TOKEN = 'fault-tests-0123456789'
const LONGEST_START_MS = 60_000

const running = new Set<ChildProcess>()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))
for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

/** Starts the process and does not wait for it to be ready. */
export function spawnService({ dataDir, settings = {}, preload }: ServiceOptions): ChildProcess {
  const child = spawn(process.execPath, [join(ROOT, 'src', 'main.js')], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      HOST: '127.0.0.1',
      PORT: '0',
      BOOTSTRAP_TOKEN: TOKEN,
      LOG_LEVEL: 'warn',
      RATE_LIMIT_PER_MINUTE: '0', // faults are looked for, not limits
      NODE_OPTIONS: preload === undefined ? '' : `--import=${pathToFileURL(preload).href}`,
      ...settings,
    },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/**
 * Starts the service and resolves when it is ready.
 * @throws Error with what it printed when it ends, or takes too long, before that
 */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const start = performance.now()
  const child = spawnService(options)
  const exited = new Promise<Exit>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  )
  let printed = ''
  const ready = new Promise<string>((resolve) => {
    const read = (chunk: Buffer) => {
      printed = `${printed}${chunk.toString()}`.slice(-100_000)
      const line = /^Daybook is ready on (\S+)$/m.exec(printed)
      if (line) resolve(line[1]!)
    }
    child.stdout!.on('data', read)
    child.stderr!.on('data', read)
  })
  // A start that takes too long ends like any other that fails.
  const timer = setTimeout(() => child.kill('SIGKILL'), LONGEST_START_MS)
  const came = await Promise.race([ready, exited])
  clearTimeout(timer)
  if (typeof came !== 'string')
    throw new Error(`the service ended (${came.signal ?? came.code}) before it was ready:\n${printed}`)
  return {
    url: came,
    pid: child.pid!,
    token: TOKEN,
    readyMs: performance.now() - start,
    exited,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    output: () => printed,
    end(signal) {
      child.kill(signal)
      return exited
    },
  }
}

/** Ends what was started and still runs: after a failure. */
export async function endServices(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      return ended
    }),
  )
}

/** Runs `work` with a fresh folder, which stays behind only when the work fails. No service runs afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-faults-'))
  try {
    const result = await work(folder)
    rmSync(folder, { recursive: true, force: true })
    return result
  } finally {
    await endServices()
  }
}
