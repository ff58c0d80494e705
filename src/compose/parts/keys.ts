/** Keys of companies: in MongoDB where read models are there, else in `keys.db` in the data folder. */
import { join } from 'node:path'
import { sqliteKeyStore } from '../../adapters/sqlite/keys/key-store.ts'
import { checkKeys } from '../../identity/secrets/check-keys.ts'
import { keyRecords } from '../../identity/secrets/key-records.ts'
import type { Config } from '../../config.ts'
import { companyKeys, type CompanyKeys } from '../../identity/secrets/company-keys.ts'
import { openKeptKeys } from '../../identity/secrets/open-kept-keys.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { KeyStore } from '../../ports/key-store.ts'

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

export async function openKeyStore({
  DATA_DIR,
  MONGODB_URL,
}: Pick<Config, 'DATA_DIR' | 'MONGODB_URL'>): Promise<KeyPlace> {
  if (MONGODB_URL === undefined) {
    const place = join(DATA_DIR, 'keys.db')
    return { place, store: sqliteKeyStore(place) }
  }
  const { mongoKeyStore } = await import('../../adapters/mongodb/key-store.ts')
  return { place: 'the collection company_keys in MongoDB', store: mongoKeyStore({ url: MONGODB_URL }) }
}
