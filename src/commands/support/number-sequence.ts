/**
 * Numbers that are never issued twice: places in a sequence are reserved in a stream of their own before they are used.
 *
 * Creates that wait share one reservation. Under load each reservation takes more than are waiting, so that the next
 * creates need none. A reserved number that is not used, because its create failed or the process died, is a gap.
 */
import type { Company } from '../../domain/events/event.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { appendIfFirst } from './append-if-first.ts'
import { derivedId } from './identifiers.ts'
import { ownEvent } from './own-event.ts'

export interface NumberSequences {
  /** The next place in the object's sequence of that company and year: from 1, rising, never the same again. */
  next(company: Company, object: string, year: number): Promise<number>
}

export interface NumberSequencesOptions {
  readonly events: Pick<EventStore, 'append' | 'last'>
  readonly clock: Clock
  /** A fresh random UUID. */
  readonly newCommand: () => string
}

interface Sequence {
  next: number
  end: number
  /** Of the stream, as far as it was read or written here. */
  version: number
  /** Places may have been reserved since. */
  stale: boolean
  /** How many the last reservation took, and when. */
  size: number
  reservedAt: number
  waiting: { readonly resolve: (place: number) => void; readonly reject: (error: unknown) => void }[]
  reserving: boolean
}

/** Reservations closer together than this mean load: each takes twice what the last one took. */
const BUSY_MS = 250
const MOST = 1_000

export function numberSequences({ events, clock, newCommand }: NumberSequencesOptions): NumberSequences {
  const sequences = new Map<string, Sequence>()

  const reserve = async (company: Company, stream: string, sequence: Sequence): Promise<void> => {
    const busy = clock.elapsed() - sequence.reservedAt < BUSY_MS
    const size = Math.min(MOST, Math.max(sequence.waiting.length, busy ? sequence.size * 2 : 1))
    for (;;) {
      if (sequence.stale) await catchUp(company, stream, sequence)
      const end = sequence.end + size
      const reserved = ownEvent({
        company,
        stream,
        type: 'numbering.reserved',
        data: { UpTo: end },
        now: clock.now(),
        command: newCommand(),
        name: 'reserve',
      })
      const expected = sequence.version
      sequence.stale = true // until it is known
      const appended = await appendIfFirst(events, { company, stream, expected, events: [reserved] })
      if (!appended) continue
      const { version } = appended
      const next = end - size + 1
      Object.assign(sequence, { next, end, version, stale: false, size, reservedAt: clock.elapsed() })
      return
    }
  }

  const catchUp = async (company: Company, stream: string, sequence: Sequence) => {
    const last = await events.last(company, stream)
    if (last) {
      sequence.version = last.version
      sequence.end = last.data['UpTo'] as number
      sequence.next = sequence.end + 1
    }
    sequence.stale = false
  }

  const serve = async (company: Company, stream: string, sequence: Sequence): Promise<void> => {
    sequence.reserving = true
    try {
      while (sequence.waiting.length > 0) {
        if (sequence.next > sequence.end) await reserve(company, stream, sequence)
        while (sequence.waiting.length > 0 && sequence.next <= sequence.end)
          sequence.waiting.shift()!.resolve(sequence.next++)
      }
    } catch (error) {
      for (const { reject } of sequence.waiting.splice(0)) reject(error)
    } finally {
      sequence.reserving = false
    }
  }

  return {
    next(company, object, year) {
      const stream = `numbering-${object}-${year}-${derivedId(company)}`
      let sequence = sequences.get(stream)
      if (!sequence) {
        sequence = {
          next: 1,
          end: 0,
          version: 0,
          stale: true,
          size: 0,
          reservedAt: -BUSY_MS,
          waiting: [],
          reserving: false,
        }
        sequences.set(stream, sequence)
      }
      if (!sequence.reserving && sequence.next <= sequence.end) return Promise.resolve(sequence.next++)
      const { waiting } = sequence
      const place = new Promise<number>((resolve, reject) => waiting.push({ resolve, reject }))
      if (!sequence.reserving) {
        sequence.reserving = true
        // After this turn, so that creates that come together share the reservation.
        const waitingFor = sequence
        setImmediate(() => void serve(company, stream, waitingFor))
      }
      return place
    },
  }
}
