/** Starts and stops what is measured: Daybook and the bounds, each as a process of its own. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { access } from './requests.ts'

export interface RunningServer {
  readonly port: number
  readonly pid: number
  /** From the start of the process to the line that says it is ready, in ms. */
  readonly readyAfter: number
  /** With `profile` only: runs `work` and prints where the server's threads spent their time. */
  profiling<T>(title: string, work: () => Promise<T>): Promise<T>
  /** With `preload` only: sends it a message and resolves with its answer. */
  ask(message: object): Promise<unknown>
  /** @throws Error when it did not end as it should */
  stop(): Promise<void>
}

export interface DaybookOptions {
  readonly dataDir: string
  readonly profile?: boolean
  /** The service's `main.js`, where it is not the one of this folder. */
  readonly source?: string
  /** A module that the service loads first, and that answers messages: see `ask`. */
  readonly preload?: string
  /** Beside those of every run. */
  readonly settings?: Readonly<Record<string, string>>
}

const SOURCE = join(import.meta.dirname, '..', 'src', 'main.js')
const PROFILER = join(import.meta.dirname, 'profiler.ts')

export function startDaybook({
  dataDir,
  profile = false,
  source = SOURCE,
  preload,
  settings: more = {},
}: DaybookOptions): Promise<RunningServer> {
  const preloads = [...(profile ? [PROFILER] : []), ...(preload === undefined ? [] : [preload])]
  const args = [...preloads.flatMap((module) => ['--import', module]), source]
  const settings = {
    PORT: '0',
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '0',
    BOOTSTRAP_EMAIL: 'bench@example.com',
    BOOTSTRAP_PASSWORD: 'bench-password-0123456789',
    BOOTSTRAP_TOKEN: access.token,
    ...more,
  }
  return start({
    args,
    settings,
    ready: /^Daybook is ready on http:.*:(\d+)$/,
    profile,
    talks: preloads.length > 0,
  })
}

export function startBound(name: 'node-http' | 'express-sqlite', args: readonly string[] = []) {
  const file = join(import.meta.dirname, 'bounds', `${name}.ts`)
  const settings = { NODE_ENV: 'production' }
  return start({
    args: [file, ...args],
    settings,
    ready: /^ready on port (\d+)$/,
    profile: false,
    talks: false,
  })
}

/** What a server says beyond this is only counted: every failed request has its lines. */
const SHOWN_LINES = 3

interface Start {
  readonly args: readonly string[]
  readonly settings: Readonly<Record<string, string>>
  readonly ready: RegExp
  readonly profile: boolean
  /** Whether messages can be sent to the process. */
  readonly talks: boolean
}

async function start({ args, settings, ready, profile, talks }: Start): Promise<RunningServer> {
  const began = performance.now()
  const child = spawn(process.execPath, args, {
    // Nothing else of this environment: settings of the one who runs the benchmark would change what is measured.
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'inherit', ...(talks ? (['ipc'] as const) : [])],
  })
  // However this process ends, it leaves none behind.
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  let said = 0
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${args.join(' ')} ended with code ${code}`)))
    child.once('error', reject)
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const match = ready.exec(line)
      if (match) resolve(Number(match[1]))
      else if (line && ++said <= SHOWN_LINES) console.log(`  it says: ${line.slice(0, 500)}`)
    })
  })
  const ask = async (message: object): Promise<unknown> => {
    child.send(message)
    const [answer] = (await once(child, 'message')) as [unknown]
    return answer
  }
  return {
    port,
    pid: child.pid!,
    readyAfter: performance.now() - began,
    async profiling(title, work) {
      if (!profile) return work()
      await ask({ profile: 'start', title })
      const result = await work()
      await ask({ profile: 'stop', title })
      return result
    },
    ask,
    async stop() {
      if (said > SHOWN_LINES) console.log(`  and ${said - SHOWN_LINES} lines more`)
      await stopped(child)
    },
  }
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) throw new Error(`a server ended by itself with code ${child.exitCode}`)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const [code, signal] = (await ended) as [number | null, string | null]
  if (code !== 0 && signal !== 'SIGTERM') throw new Error(`a server ended with code ${code ?? signal}`)
}
