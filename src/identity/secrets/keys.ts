/** Keys of companies, checked before anything is written, and destroyed when their day is over. */
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import { checkKeys } from './check-keys.ts'
import { companyKeys, type CompanyKeys } from './company-keys.ts'
import { keyRecords } from './key-records.ts'
import { openKeptKeys } from './open-kept-keys.ts'
import type { Sealer } from './sealed-secrets.ts'

export interface KeyPlace {
  /** Where the keys are, for messages. */
  readonly place: string
  readonly store: KeyStore
}

export interface KeysOptions {
  readonly kept: KeyPlace
  readonly events: Pick<EventStore, 'append' | 'last'>
  readonly sealer: Pick<Sealer, 'seal' | 'open' | 'names'>
  readonly clock: Clock
}

export interface Keys extends CompanyKeys {
  /**
   * To be awaited before anything is written.
   * @throws Error when the events were written with other keys, or when the master keys do not open all of them
   * @throws Unavailable when a store cannot be asked now
   */
  check(): Promise<void>
  close(): Promise<void>
}

/** Days end: their keys are destroyed within the hour. */
const FORGET_MS = 3_600_000

export function openKeys({ kept, events, sealer, clock }: KeysOptions): Keys {
  const { place, store } = kept
  const { now } = clock
  const keys = companyKeys({ store, records: keyRecords({ events, now }), sealer, now })
  const timer = setInterval(() => void keys.forget().catch(() => {}), FORGET_MS).unref()
  return {
    ...keys,
    async check() {
      await checkKeys({ events, store, place, now })
      await keys.forget()
      await openKeptKeys({ store, sealer, place })
    },
    async close() {
      clearInterval(timer)
      await store.close()
    },
  }
}
