/** The keys of secrets, and those of companies: in MongoDB where read models are there, else in `keys.db` in the data folder. */
import { join } from 'node:path'
import { sqliteKeyStore } from '../../adapters/sqlite/keys/key-store.ts'
import { masterKeysIn } from '../../adapters/sqlite/keys/master-key-file.ts'
import type { Config } from '../../config.ts'
import { openKeys, type KeyPlace, type KeysOptions } from '../../identity/secrets/keys.ts'
import { masterKeyRecord } from '../../identity/secrets/master-key.ts'
import { secrets } from '../../identity/secrets/secrets.ts'

export interface SecretsOptions extends Pick<KeysOptions, 'events' | 'clock'> {
  readonly config: Config
}

/** Nothing can be sealed before the keys are found. */
export async function openSecrets({ config, events, clock }: SecretsOptions) {
  const kept = await openKeyStore(config)
  const sealer = secrets({
    given: config.SECRETS_KEYS,
    file: masterKeysIn(config.DATA_DIR),
    holdsKeys: async () => (await kept.store.list()).length > 0,
    record: masterKeyRecord({ events, now: clock.now }),
  })
  return { sealer, keys: openKeys({ kept, events, sealer, clock }) }
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
