/**
 * The keys that secrets are kept with: of the setting, else of a file beside the embedded events. Which of them seals is
 * recorded in the events (`identity/secrets/master-key.ts`): others stop the start, and no file is made in place of a lost one.
 */
import type { Config } from '../../config.ts'
import { Unavailable } from '../../domain/errors.ts'
import type { MasterKeyRecord } from '../../identity/secrets/master-key.ts'
import { sealer, type Sealer } from '../../identity/secrets/sealed-secrets.ts'
import { masterKeyFile, masterKeysOfFolder, readMasterKeys } from './master-key-file.ts'

export interface SecretsOptions {
  readonly config: Pick<Config, 'SECRETS_KEYS' | 'DATA_DIR'>
  readonly record: MasterKeyRecord
  /** Whether keys of companies are there, which a master key has sealed. */
  readonly holdsKeys: () => Promise<boolean>
}

export interface Secrets extends Sealer {
  /**
   * Finds the keys; nothing can be sealed before. May be repeated.
   * @throws Error when the keys are missing, wrong or others than before; Unavailable when a store cannot be asked
   */
  find(): Promise<void>
  /** Records the first of the keys, once everything that is there was opened. @throws Unavailable; it may be repeated */
  settle(): Promise<void>
}

/** A sealer that can be handed out before its keys are known: the store that they are checked by may be on its way up. */
export function secrets(options: SecretsOptions): Secrets {
  let opened: Sealer | undefined
  const ready = () => {
    if (!opened) throw new Unavailable('the keys of secrets are not known yet')
    return opened
  }
  return {
    async find() {
      opened ??= await sealerOf(options)
    },
    settle: () => options.record.use(ready().names()[0]!),
    seal: (secret, owner) => ready().seal(secret, owner),
    open: (sealed, owner) => ready().open(sealed, owner),
    names: () => ready().names(),
    derive: (purpose) => ready().derive(purpose),
    deriveAll: (purpose) => ready().deriveAll(purpose),
  }
}

/** What to do about a key that is lost. */
const IF_LOST =
  'where it is lost, run "npm run claim-again -- --without-keys" while the service is stopped, which says what is lost with it.'

async function sealerOf({ config, record, holdsKeys }: SecretsOptions): Promise<Sealer> {
  const { SECRETS_KEYS, DATA_DIR } = config
  const last = await record.last()
  const given = SECRETS_KEYS ?? readMasterKeys(DATA_DIR)
  if (!given && (last !== undefined || (await holdsKeys())))
    throw new Error(
      `SECRETS_KEYS is not set and ${masterKeyFile(DATA_DIR)} is missing, but this store has secrets: set it, or put the ` +
        `file back from the backup; ${IF_LOST}`,
    )
  const found = sealer(given ?? masterKeysOfFolder(DATA_DIR))
  if (last === undefined || found.names().includes(last)) return found
  const place = SECRETS_KEYS ? 'SECRETS_KEYS' : masterKeyFile(DATA_DIR)
  throw new Error(
    `The secrets of this store were sealed with the master key ${last}, which is not in ${place}. Put that key back, after a ` +
      `new one if there is one; ${IF_LOST}`,
  )
}
