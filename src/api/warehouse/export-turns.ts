/**
 * Whose export runs: a few at a time, of one company never all of them; the others wait in a line, and not for long.
 *
 * An export that its client does not take holds a thread, memory and a state of the store: it gives way when others wait.
 * When a turn is free, it is of whose company has the fewest under way, then of who came first.
 */
import type { Response } from 'express'
import { Busy } from '../../domain/errors.ts'
import { principalOf } from '../http/request-context.ts'
import { unreadOf } from '../http/unread.ts'

export interface ExportTurns {
  /**
   * Does `work` when its turn has come.
   * @throws Busy when the line is full, or the turn does not come in time
   */
  run(asker: Asker, work: () => Promise<void>): Promise<void>
  /** Looks who has waited too long, and who has to give way. Done by itself every second while somebody waits. */
  look(): void
  /** How many run, and how many wait for their turn. */
  standing(): { readonly running: number; readonly waiting: number }
}

/** The client that an export runs for. */
export interface Asker {
  readonly company: string
  /** For how long it has taken nothing though there is something to take, in ms. */
  stalledMs(): number
  /** Breaks off what it is sent. */
  end(): void
  /** `left` is called when it no longer waits. */
  onceGone(left: () => void): void
}

export interface ExportTurnsOptions {
  /** Monotonic, in ms. */
  readonly elapsed: () => number
  readonly atOnce: number
}

const LINE = { company: 20, all: 100 } as const
/** A client that waits so long and then does not read is gone within 75 s of asking. */
const LONGEST_WAIT_MS = 10_000
const GIVES_WAY_MS = 8_000
const LOOK_MS = 1_000

interface Waiting {
  readonly asker: Asker
  readonly since: number
  begin(): void
  refuse(error: Error): void
}

export function exportTurns({ elapsed, atOnce }: ExportTurnsOptions): ExportTurns {
  const share = Math.max(1, atOnce - 1)
  const running = new Set<Asker>()
  const ending = new Set<Asker>()
  let line: readonly Waiting[] = []
  let timer: NodeJS.Timeout | undefined

  const runningOf = (company: string) => [...running].filter((asker) => asker.company === company).length
  const leave = (left: Waiting) => {
    line = line.filter((one) => one !== left)
    if (line.length > 0) return
    clearInterval(timer)
    timer = undefined
  }

  const next = () => {
    while (running.size < atOnce) {
      const standings = line.map((one) => ({ one, has: runningOf(one.asker.company) }))
      const [first] = standings.filter(({ has }) => has < share).sort((a, b) => a.has - b.has)
      if (!first) return
      running.add(first.one.asker)
      leave(first.one)
      first.one.begin()
    }
  }

  const turnOf = (asker: Asker): Promise<void> =>
    new Promise((begin, refuse) => {
      const ofCompany = line.filter((one) => one.asker.company === asker.company).length
      if (line.length >= LINE.all || ofCompany >= LINE.company)
        return refuse(new Busy('too many exports wait already'))
      const waiting = { asker, since: elapsed(), begin, refuse }
      line = [...line, waiting]
      timer ??= setInterval(look, LOOK_MS).unref()
      asker.onceGone(() => {
        leave(waiting)
        refuse(new Busy('the client has gone'))
      })
      next()
    })

  const look = () => {
    for (const one of line.filter(({ since }) => elapsed() - since >= LONGEST_WAIT_MS)) {
      leave(one)
      one.refuse(new Busy('too many exports are under way'))
    }
    // Those who end already make room for the first of the line.
    for (const { asker } of line.slice(ending.size)) {
      const isOverShare = runningOf(asker.company) >= share
      const [longest] = [...running]
        .filter((one) => !ending.has(one) && (!isOverShare || one.company === asker.company))
        .filter((one) => one.stalledMs() >= GIVES_WAY_MS)
        .sort((a, b) => b.stalledMs() - a.stalledMs())
      if (!longest) continue
      ending.add(longest)
      longest.end()
    }
  }

  return {
    async run(asker, work) {
      await turnOf(asker)
      try {
        await work()
      } finally {
        running.delete(asker)
        ending.delete(asker)
        next()
      }
    },
    look,
    standing: () => ({ running: running.size, waiting: line.length }),
  }
}

/** The client that is answered. */
export function askerOf(response: Response): Asker {
  return {
    company: principalOf(response).company,
    stalledMs: () => (response.socket ? unreadOf(response).stalledMs(response.socket) : 0),
    end: () => void response.destroy(),
    onceGone: (left) => void response.once('close', left),
  }
}
