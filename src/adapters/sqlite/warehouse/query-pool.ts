/**
 * Questions to query processes: a few at a time, the others wait their turn. A process is started when one is needed and
 * ended when nobody has asked for a while; one that broke a limit is gone, and the next question gets a new one.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Busy, invalid, Unavailable } from '../../../domain/errors.ts'
import type { QueryJob, QueryLimits, QueryOutcome } from './query-messages.ts'

export interface QueryPool {
  /**
   * @throws Invalid naming `Sql` when it takes too long or too much
   * @throws Unavailable when too many wait
   */
  ask(job: Omit<QueryJob, 'limits'>): Promise<QueryOutcome>
  close(): void
}

export interface QueryPoolOptions {
  readonly processes: number
  readonly limits: QueryLimits
}

const MOST_WAITING = 20
const IDLE_MS = 30_000
/** The process ends itself when its time is up; this much later, its start included, it is ended. */
const GRACE_MS = 3_000
const PROGRAM = fileURLToPath(new URL('./query-process.ts', import.meta.url))

export function queryPool({ processes, limits }: QueryPoolOptions): QueryPool {
  const idle = new Map<ChildProcess, NodeJS.Timeout>()
  const all = new Set<ChildProcess>()
  const waiting: { run: () => void; refuse: (error: Error) => void }[] = []
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
    all.add(child)
    child.on('exit', () => {
      all.delete(child)
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

  const next = () => {
    if (busy < processes) waiting.shift()?.run()
  }

  return {
    async ask(job) {
      if (isClosed) throw new Unavailable('the warehouse is closed')
      if (busy >= processes) {
        if (waiting.length >= MOST_WAITING) throw new Busy('too many questions are waiting')
        await new Promise<void>((run, refuse) => waiting.push({ run, refuse }))
      }
      busy++
      try {
        return await ask(job)
      } finally {
        busy--
        next()
      }
    },
    close() {
      isClosed = true
      for (const { refuse } of waiting.splice(0)) refuse(new Unavailable('the warehouse is closed'))
      for (const child of all) child.kill('SIGKILL')
    },
  }
}
