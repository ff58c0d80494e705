/** Keys of companies: in MongoDB where read models are there, else in `keys.db` in the data folder. */
import { join } from 'node:path'
import { sqliteKeyStore } from '../../adapters/sqlite/keys/key-store.ts'
import { checkKeys } from '../../commands/support/check-keys.ts'
import type { Config } from '../../config.ts'
import { companyKeys, type CompanyKeys } from '../../identity/secrets/company-keys.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { KeyStore } from '../../ports/key-store.ts'

export interface KeysOptions {
  readonly config: Pick<Config, 'DATA_DIR' | 'MONGODB_URL'>
  readonly events: Pick<EventStore, 'append' | 'last'>
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
  readonly clock: Clock
}

export interface Keys extends CompanyKeys {
  /**
   * To be awaited before anything is written.
   * @throws Error when the events were written with other keys; Unavailable when a store cannot be asked now
   */
  check(): Promise<void>
  close(): Promise<void>
}

/** Days end: their keys are destroyed within the hour. */
const FORGET_MS = 3_600_000

export async function openKeys({ config, events, sealer, clock }: KeysOptions): Promise<Keys> {
  const { place, store } = await openStore(config)
  const keys = companyKeys({ store, sealer, now: clock.now })
  const timer = setInterval(() => void keys.forget().catch(() => {}), FORGET_MS).unref()
  return {
    ...keys,
    async check() {
      await checkKeys({ events, store, place, now: clock.now })
      await keys.forget()
    },
    async close() {
      clearInterval(timer)
      await store.close()
    },
  }
}

async function openStore({
  DATA_DIR,
  MONGODB_URL,
}: KeysOptions['config']): Promise<{ readonly place: string; readonly store: KeyStore }> {
  if (MONGODB_URL === undefined) {
    const place = join(DATA_DIR, 'keys.db')
    return { place, store: sqliteKeyStore(place) }
  }
  const { mongoKeyStore } = await import('../../adapters/mongodb/key-store.ts')
  return { place: 'the collection company_keys in MongoDB', store: mongoKeyStore({ url: MONGODB_URL }) }
}
