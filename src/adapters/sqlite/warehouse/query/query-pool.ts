/**
 * Questions to query processes: a few at a time, the others wait their turn, and companies take turns, so that whoever asks
 * much holds up his own company, and others by one question at the most. A process is started when one is needed and
 * ended when nobody has asked for a while; one that broke a limit is gone, and the next question gets a new one.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Busy, invalid, Unavailable } from '../../../../domain/errors.ts'
import type { QueryJob, QueryLimits, QueryOutcome } from './query-messages.ts'

export interface QueryPool {
  /**
   * @throws Invalid naming `Sql` when it takes too long or too much
   * @throws Busy when too many wait, of this file or in all
   */
  ask(job: Omit<QueryJob, 'limits'>): Promise<QueryOutcome>
  close(): void
}

interface Waiting {
  readonly run: () => void
  readonly refuse: (error: Error) => void
}

export interface QueryPoolOptions {
  readonly processes: number
  readonly limits: QueryLimits
}

/** Of one company, and in all. */
const MOST_WAITING = { own: 10, all: 50 }
const IDLE_MS = 30_000
/** The process ends itself when its time is up; this much later, its start included, it is ended. */
const GRACE_MS = 3_000
const PROGRAM = fileURLToPath(new URL('./query-process.ts', import.meta.url))

export function queryPool({ processes, limits }: QueryPoolOptions): QueryPool {
  const idle = new Map<ChildProcess, NodeJS.Timeout>()
  const children = new Set<ChildProcess>()
  /** By file; the first is the next. */
  const waiting = new Map<string, Waiting[]>()
  let busy = 0
  let isClosed = false

  const start = (): ChildProcess => {
    // No environment: a question can see nothing that the service was told.
    const child = fork(PROGRAM, {
      execArgv: ['--max-old-space-size=256'],
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    children.add(child)
    child.on('exit', () => {
      children.delete(child)
      idle.delete(child)
    })
    child.on('error', () => child.kill('SIGKILL'))
    // The service lives by its server, not by who waits for a question.
    child.unref()
    child.channel?.unref()
    return child
  }

  const take = (): ChildProcess => {
    const [known] = idle
    if (!known) return start()
    const [child, timer] = known
    clearTimeout(timer)
    idle.delete(child)
    return child
  }

  const rest = (child: ChildProcess) => {
    const timer = setTimeout(() => {
      idle.delete(child)
      child.kill('SIGKILL')
    }, IDLE_MS)
    idle.set(child, timer.unref())
  }

  const ask = (job: Omit<QueryJob, 'limits'>): Promise<QueryOutcome> =>
    new Promise((resolve, reject) => {
      const child = take()
      const asked = performance.now()
      const timer = setTimeout(() => child.kill('SIGKILL'), limits.milliseconds + GRACE_MS)
      const settle = (work: () => void) => {
        clearTimeout(timer)
        child.off('message', answered)
        child.off('exit', ended)
        work()
      }
      const answered = (outcome: QueryOutcome) =>
        settle(() => {
          rest(child)
          resolve(outcome)
        })
      const ended = () =>
        settle(() => {
          const late = performance.now() - asked >= limits.milliseconds
          if (isClosed) reject(new Unavailable('the warehouse is closed'))
          else if (late) reject(invalid('Sql', `takes longer than ${limits.milliseconds / 1_000} s`))
          else reject(invalid('Sql', 'takes more memory than a question may'))
        })
      child.on('message', answered)
      child.on('exit', ended)
      child.send({ ...job, limits } satisfies QueryJob, (error) => error && child.kill('SIGKILL'))
    })

  const wait = (path: string): Promise<void> => {
    const own = waiting.get(path) ?? []
    const all = [...waiting.values()].reduce((sum, { length }) => sum + length, 0)
    if (own.length >= MOST_WAITING.own || all >= MOST_WAITING.all)
      throw new Busy('too many questions are waiting')
    waiting.set(path, own)
    return new Promise((run, refuse) => own.push({ run, refuse }))
  }

  /** Leaves the place to the next who waits. */
  const leave = () => {
    const [first] = waiting
    if (!first) return void busy--
    const [path, own] = first
    const { run } = own.shift()!
    waiting.delete(path)
    if (own.length > 0) waiting.set(path, own) // behind the others
    run()
  }

  return {
    async ask(job) {
      if (isClosed) throw new Unavailable('the warehouse is closed')
      if (busy < processes) busy++
      else await wait(job.path)
      try {
        return await ask(job)
      } finally {
        leave()
      }
    },
    close() {
      isClosed = true
      const all = [...waiting.values()].flat()
      waiting.clear()
      for (const { refuse } of all) refuse(new Unavailable('the warehouse is closed'))
      for (const child of children) child.kill('SIGKILL')
    },
  }
}
