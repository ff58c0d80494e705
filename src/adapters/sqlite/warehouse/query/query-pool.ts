/**
 * Questions to query processes: a few at a time, companies in turn. A process is started when one is needed and ended when
 * no question has come for a while; one that broke a limit is gone, and the next question gets a new one.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { invalid, Unavailable } from '../../../../domain/errors.ts'
import { fairTurns } from '../../../../domain/fair-turns.ts'
import type { QueryJob, QueryLimits, QueryOutcome } from './query-messages.ts'

/** `rows`: in place of those of the limits. */
export type Question = Omit<QueryJob, 'limits'> & { readonly rows?: number | undefined }

export interface QueryPool {
  /**
   * @throws Invalid naming `Sql` when it takes too long or too much
   * @throws Busy when too many wait, of this file or in all
   */
  ask(question: Question): Promise<QueryOutcome>
  close(): void
}

export interface QueryPoolOptions {
  readonly processes: number
  readonly limits: QueryLimits
}

const WAITING = { own: 10, all: 50 }
const IDLE_MS = 30_000
/** The process ends itself when its time is up; this much later, its start included, it is ended. */
const GRACE_MS = 3_000
const PROGRAM = fileURLToPath(new URL('./query-process.ts', import.meta.url))

export function queryPool({ processes, limits }: QueryPoolOptions): QueryPool {
  const idle = new Map<ChildProcess, NodeJS.Timeout>()
  const children = new Set<ChildProcess>()
  const turns = fairTurns({ atOnce: processes, waiting: WAITING, full: 'too many questions are waiting' })
  const closed = () => new Unavailable('the warehouse is closed')
  let isClosed = false

  const take = (): ChildProcess => {
    const [known] = idle
    if (!known) {
      const child = started()
      children.add(child)
      child.on('exit', () => {
        children.delete(child)
        idle.delete(child)
      })
      return child
    }
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

  const ask = async ({ rows = limits.rows, ...job }: Question): Promise<QueryOutcome> => {
    if (isClosed) throw closed()
    const child = take()
    const outcome = await answerOf(child, { ...job, limits: { ...limits, rows } })
    if (outcome === 'ended late') throw invalid('Sql', `takes longer than ${limits.milliseconds / 1_000} s`)
    if (outcome === 'ended' && isClosed) throw closed()
    if (outcome === 'ended') throw invalid('Sql', 'takes more memory than a question may')
    rest(child)
    return outcome
  }

  return {
    async ask(job) {
      if (isClosed) throw closed()
      return turns.run(job.path, () => ask(job))
    },
    close() {
      isClosed = true
      turns.refuseAll(closed())
      for (const child of children) child.kill('SIGKILL')
    },
  }
}

function started(): ChildProcess {
  // No environment: a question sees none of the service's settings.
  const child = fork(PROGRAM, {
    execArgv: ['--max-old-space-size=256'],
    env: {},
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('error', () => child.kill('SIGKILL'))
  // The service lives by its server, not by questions that wait.
  child.unref()
  child.channel?.unref()
  return child
}

/** What the process answers, or that it ended without an answer: after the question's time was up, or before. */
function answerOf(child: ChildProcess, job: QueryJob): Promise<QueryOutcome | 'ended' | 'ended late'> {
  const asked = performance.now()
  return new Promise((resolve) => {
    const { milliseconds } = job.limits
    const timer = setTimeout(() => child.kill('SIGKILL'), milliseconds + GRACE_MS)
    const settle = (outcome: QueryOutcome | 'ended' | 'ended late') => {
      clearTimeout(timer)
      child.off('message', settle)
      child.off('exit', ended)
      resolve(outcome)
    }
    const ended = () => settle(performance.now() - asked >= milliseconds ? 'ended late' : 'ended')
    child.on('message', settle)
    child.on('exit', ended)
    child.send(job, (error) => error && child.kill('SIGKILL'))
  })
}
