/**
 * The keys that secrets are kept with: of the setting, else of a file beside the embedded events. Which of them seals is
 * recorded in the events (`identity/secrets/master-key.ts`): others stop the start, and no file is made in place of a lost one.
 */
import { Unavailable } from '../../domain/errors.ts'
import type { MasterKeyRecord } from './master-key.ts'
import { sealer, type Sealer } from './sealed-secrets.ts'

/** The file that stands in for the setting. */
export interface KeyFile {
  readonly path: string
  /** Undefined where there is no file. @throws Error when it does not hold keys */
  read(): readonly Uint8Array[] | undefined
  /** The keys of the file, which is made where there is none. */
  make(): readonly Uint8Array[]
}

export interface SecretsOptions {
  /** SECRETS_KEYS, where it is set. */
  readonly given: readonly Uint8Array[] | undefined
  readonly file: KeyFile
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

async function sealerOf({ given, file, record, holdsKeys }: SecretsOptions): Promise<Sealer> {
  const last = await record.last()
  const kept = given ?? file.read()
  if (!kept && (last !== undefined || (await holdsKeys())))
    throw new Error(
      `SECRETS_KEYS is not set and ${file.path} is missing, but this store has secrets: set it, or put the ` +
        `file back from the backup; ${IF_LOST}`,
    )
  const found = sealer(kept ?? file.make())
  if (last === undefined || found.names().includes(last)) return found
  const place = given ? 'SECRETS_KEYS' : file.path
  throw new Error(
    `The secrets of this store were sealed with the master key ${last}, which is not in ${place}. Put that key back, after a ` +
      `new one if there is one; ${IF_LOST}`,
  )
}
