/**
 * The state of users, tokens, sessions, companies and roles at the time of a request, whichever process changed it.
 *
 * Where this process alone writes, what it remembers is current. Otherwise a request is judged by a read of the store that
 * began after the request, unless all changes since the last read are known. Requests that come while a stream is being read
 * share the next read of it, so that no stream is read more than once at a time.
 *
 * While the store is away, requests that only read may be judged by what this process remembers, for a limited time.
 */
import type { RecordStates } from '../commands/support/record-states.ts'
import { Unavailable } from '../domain/errors.ts'
import type { Company } from '../domain/events/event.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { StoreContact } from './store-contact.ts'

/** How long the store is waited for, in ms. Writes wait longer, for a store that only stalls soon takes them. */
export const PATIENCE_MS = { read: 2_000, write: 5_000 } as const

/** Where the states come from by which a request is judged. */
export interface StateSource {
  /** Whether the store is asked; else only remembered states are used. */
  readonly asks: boolean
  /** @throws Unavailable when the state cannot be had */
  load(company: Company, key: string): Promise<RecordState>
  /** Reads something else from the store. @throws Unavailable; always, where only remembered states are to be used */
  ask<T>(read: () => Promise<T>): Promise<T>
}

export interface CurrentStates extends StateSource {
  /** The state when it is at hand; undefined says nothing: `load` does. */
  peek(company: Company, key: string): RecordState | undefined
  /** What this process remembers; it throws Unavailable where that is nothing, or the store has been away too long. */
  readonly remembered: StateSource
  /**
   * What `work` resolves to; it loads states.
   * @throws Unavailable when the store takes longer than the patience for such requests; at once when it is known to be away
   */
  within<T>(patience: keyof typeof PATIENCE_MS, work: () => Promise<T>): Promise<T>
}

export interface CurrentStatesOptions {
  readonly states: Pick<RecordStates, 'load' | 'peek' | 'recall' | 'remembered' | 'onlyWriter'>
  readonly contact: StoreContact
  /** For how long reads are judged by what is remembered while the store is away, in ms; 0: not at all. */
  readonly graceMs: number
}

export function currentStates({ states, contact, graceMs }: CurrentStatesOptions): CurrentStates {
  const { peek } = states
  const remembered: StateSource = {
    asks: false,
    async load(company, key) {
      const state = contact.silentMs() < graceMs ? states.remembered(company, key) : undefined
      return state ?? unavailable()
    },
    ask: async () => unavailable(),
  }
  const within: CurrentStates['within'] = (patience, work) => contact.within(PATIENCE_MS[patience], work)
  if (states.onlyWriter) {
    const load: StateSource['load'] = (company, key) => states.load(company, key)
    return { asks: true, load, ask: (read) => read(), peek, remembered, within }
  }
  const reads = new SharedReads(states)
  const load: StateSource['load'] = (company, key) => {
    const recalled = states.recall(company, key)
    const read = () => reads.load(company, key)
    return contact.note(recalled?.then((current) => current ?? read()) ?? read())
  }
  return { asks: true, load, ask: (read) => contact.note(read()), peek, remembered, within }
}

function unavailable(): never {
  throw new Unavailable('the event store does not answer')
}

interface Reading {
  readonly now: Promise<RecordState>
  next?: Promise<RecordState>
}

/** Reads of streams, each stream at most once at a time. */
class SharedReads {
  readonly #states: Pick<RecordStates, 'load'>
  readonly #readings = new Map<string, Reading>()

  constructor(states: Pick<RecordStates, 'load'>) {
    this.#states = states
  }

  /** By a read that begins after this call. */
  load(company: Company, key: string): Promise<RecordState> {
    const id = `${company} ${key}`
    const reading = this.#readings.get(id)
    if (!reading) return this.#read(id, company, key)
    const again = () => this.#read(id, company, key)
    reading.next ??= reading.now.then(again, again)
    return reading.next
  }

  #read(id: string, company: Company, key: string): Promise<RecordState> {
    const now = this.#states.load(company, key)
    const reading: Reading = { now }
    this.#readings.set(id, reading)
    const done = () => {
      if (this.#readings.get(id) === reading && !reading.next) this.#readings.delete(id)
    }
    now.then(done, done)
    return now
  }
}
