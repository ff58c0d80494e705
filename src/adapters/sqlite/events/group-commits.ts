/** Appends that wait share one commit. */
import type { Checkpoints } from '../files/checkpoints.ts'
import { isDiskTrouble, isFsyncFailure } from '../files/open.ts'
import { flattenOutcomes, unflatten, type FromEngine, type ToEngine } from './engine-messages.ts'
import type { openEventLog } from './event-log.ts'
import { messageOf } from '../../../domain/errors.ts'

type Append = Extract<ToEngine, { kind: 'append' }>

export interface GroupCommitsOptions {
  readonly log: ReturnType<typeof openEventLog>
  readonly checkpoints: Checkpoints
  /** Called after each commit. */
  readonly grown: () => void
  readonly say: (message: FromEngine) => void
}

export interface GroupCommits {
  add(append: Append): void
  /** Resolves when what waits is committed; nothing may be added after that. */
  end(): Promise<void>
}

export function groupCommits({ log, checkpoints, grown, say }: GroupCommitsOptions): GroupCommits {
  let pending: Append[] = []

  const flush = () => {
    const groups = pending
    pending = []
    const all = groups.flatMap(({ appends }) => unflatten(appends))
    const first = groups[0]?.first ?? 0
    if (all.length === 0) return
    try {
      say({ kind: 'appended', first, outcomes: flattenOutcomes(log.append(all)), head: log.head() })
      checkpoints.written(log.db)
      grown()
    } catch (error) {
      const message = messageOf(error)
      say({ kind: 'failed', first, count: all.length, message, disk: isDiskTrouble(error) })
      // Whether the group is on the disk is not known, and asking again would not help.
      if (isFsyncFailure(error)) say({ kind: 'fatal', message: `the disk refused an fsync: ${message}` })
      else if (isDiskTrouble(error)) checkpoints.makeRoom()
    }
  }
  return {
    add(append) {
      pending.push(append)
      if (pending.length === 1) setImmediate(flush)
    },
    end: () =>
      new Promise((resolve) =>
        setImmediate(() => {
          flush()
          resolve()
        }),
      ),
  }
}
