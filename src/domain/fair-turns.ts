/**
 * A few pieces of work at a time; the others wait in a bounded line, and groups take turns, so that a group that asks much
 * holds up its own work, and others by one piece at most.
 */
import { Busy } from './errors.ts'

export interface FairTurns {
  /**
   * Does `work` when its turn has come.
   * @throws Busy when too much waits, of the group or in all
   */
  run<T>(group: string, work: () => Promise<T>): Promise<T>
  /** Refuses everything that waits. */
  refuseAll(error: Error): void
}

export interface FairTurnsOptions {
  readonly atOnce: number
  /** Longest line of one group, and of all together. */
  readonly waiting: { readonly own: number; readonly all: number }
  /** The message of the refusal. */
  readonly full: string
}

interface Waiting {
  readonly run: () => void
  readonly refuse: (error: Error) => void
}

export function fairTurns({ atOnce, waiting: most, full }: FairTurnsOptions): FairTurns {
  /** By group; the first is the next. */
  const waiting = new Map<string, Waiting[]>()
  let busy = 0

  const wait = (group: string): Promise<void> => {
    const own = waiting.get(group) ?? []
    const all = [...waiting.values()].reduce((sum, { length }) => sum + length, 0)
    if (own.length >= most.own || all >= most.all) throw new Busy(full)
    waiting.set(group, own)
    return new Promise((run, refuse) => own.push({ run, refuse }))
  }

  /** Leaves the place to the next who waits. */
  const leave = () => {
    const [first] = waiting
    if (!first) return void busy--
    const [group, own] = first
    const { run } = own.shift()!
    waiting.delete(group)
    if (own.length > 0) waiting.set(group, own) // behind the others
    run()
  }

  return {
    async run(group, work) {
      if (busy < atOnce) busy++
      else await wait(group)
      try {
        return await work()
      } finally {
        leave()
      }
    },
    refuseAll(error) {
      const all = [...waiting.values()].flat()
      waiting.clear()
      for (const { refuse } of all) refuse(error)
    },
  }
}
