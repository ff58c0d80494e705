/**
 * The state of users, tokens, sessions, companies and roles as it is when a request asks, whichever process changed it.
 *
 * Where this process alone writes, what it remembers is current, and so is what it can recall. Otherwise the store is
 * read: a request is judged by a read that began after it asked. One that asks while a read of the same stream is under way shares the next read with
 * all others that do, so that no stream is read more than once at a time.
 */
import type { RecordStates } from '../commands/support/record-states.ts'
import type { Company } from '../domain/events/event.ts'
import type { RecordState } from '../domain/records/record.ts'
import { inTime, STORE_TIMEOUT_MS } from './in-time.ts'

export interface CurrentStates {
  /** @throws Unavailable when the store does not tell in time */
  load(company: Company, key: string): Promise<RecordState>
  /** The state when it is at hand; undefined says nothing: `load` does. */
  peek(company: Company, key: string): RecordState | undefined
}

export interface CurrentStatesOptions {
  readonly states: Pick<RecordStates, 'load' | 'peek' | 'recall' | 'onlyWriter'>
  /** How long a request waits for the store, in ms. */
  readonly timeoutMs?: number
}

interface Reading {
  readonly now: Promise<RecordState>
  next?: Promise<RecordState>
}

export function currentStates({ states, timeoutMs = STORE_TIMEOUT_MS }: CurrentStatesOptions): CurrentStates {
  const { peek } = states
  if (states.onlyWriter) return { load: (company, key) => states.load(company, key), peek }
  const readings = new Map<string, Reading>()

  const read = (id: string, company: Company, key: string): Promise<RecordState> => {
    const now = states.load(company, key)
    const reading: Reading = { now }
    readings.set(id, reading)
    const done = () => {
      if (readings.get(id) === reading && !reading.next) readings.delete(id)
    }
    now.then(done, done)
    return now
  }

  const shared = (company: Company, key: string): Promise<RecordState> => {
    const id = `${company} ${key}`
    const reading = readings.get(id)
    if (!reading) return read(id, company, key)
    const again = () => read(id, company, key)
    reading.next ??= reading.now.then(again, again)
    return reading.next
  }

  return {
    load: (company, key) => {
      const recalled = states.recall(company, key)
      const state = recalled?.then((current) => current ?? shared(company, key)) ?? shared(company, key)
      return inTime(timeoutMs, state)
    },
    peek,
  }
}
