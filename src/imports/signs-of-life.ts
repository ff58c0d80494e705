/**
 * Signs that some process works on an import, for the others that could take it over: while the work lasts, an event every few
 * seconds in a stream of its own. Who looks compares only whether there is a new one, never clocks.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { appendIfFirst } from '../commands/support/append-if-first.ts'
import { ownEvent } from '../commands/support/own-event.ts'
import type { Company } from '../domain/events/event.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../ports/event-store.ts'

export interface SignsOfLife {
  /** Gives signs while the work lasts. */
  during(company: Company, importKey: string, work: () => Promise<void>): Promise<void>
  /** How many there were. */
  count(company: Company, importKey: string): Promise<number>
}

export interface SignsOfLifeOptions {
  readonly events: Pick<EventStore, 'append' | 'last'>
  readonly clock: Pick<Clock, 'now'>
  readonly newCommand: () => string
}

/** Short enough that a few are missed before another process takes over. */
const EVERY_MS = 10_000
const HELD = 'importturn.held'

/** Not of the shape of a Key: it is bookkeeping. */
const streamOfTurn = (importKey: string) => `importturn-${importKey.slice(importKey.indexOf('-') + 1)}-signs`

export function signsOfLife({ events, clock, newCommand }: SignsOfLifeOptions): SignsOfLife {
  const count: SignsOfLife['count'] = async (company, importKey) =>
    (await events.last(company, streamOfTurn(importKey)))?.version ?? 0

  const give = async (company: Company, importKey: string) => {
    const stream = streamOfTurn(importKey)
    const event = ownEvent({
      company,
      stream,
      type: HELD,
      data: { Import: importKey },
      now: clock.now(),
      command: newCommand(),
      name: 'import',
    })
    await appendIfFirst(events, {
      company,
      stream,
      expected: await count(company, importKey),
      events: [event],
    })
  }
  const giveUntil = async (company: Company, importKey: string, signal: AbortSignal) => {
    while (!signal.aborted) {
      await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => {})
      // While the store is away the work waits as well.
      if (!signal.aborted) await give(company, importKey).catch(() => {})
    }
  }

  return {
    count,
    async during(company, importKey, work) {
      const over = new AbortController()
      const giving = giveUntil(company, importKey, over.signal)
      try {
        await work()
      } finally {
        over.abort()
        await giving
      }
    },
  }
}

/** Where no other process could take anything over. */
export const NO_SIGNS: SignsOfLife = {
  during: (_company, _importKey, work) => work(),
  count: async () => 0,
}
