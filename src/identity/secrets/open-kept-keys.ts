/**
 * Keys of companies as the master keys open them: all of them must, and those that an earlier master key sealed are sealed
 * again by the first, so that the earlier one can go.
 */
import type { KeyStore } from '../../ports/key-store.ts'
import { ownerOfKey } from './company-keys.ts'
import { sealedBy, type Sealer } from './sealed-secrets.ts'

export interface OpenKeptKeys {
  readonly store: Pick<KeyStore, 'list' | 'replace'>
  readonly sealer: Pick<Sealer, 'seal' | 'open' | 'names'>
  /** Where the keys are, for the message. */
  readonly place: string
}

/**
 * How many were sealed again.
 * @throws Error when a key cannot be opened; nothing has then been sealed again
 */
export async function openKeptKeys({ store, sealer, place }: OpenKeptKeys): Promise<number> {
  const [first] = sealer.names()
  const old = []
  for (const key of await store.list()) {
    const owner = ownerOfKey(key.company, key.purpose)
    let secret: string
    try {
      secret = sealer.open(key.sealed, owner)
    } catch (error) {
      throw new Error(
        `The keys of companies in ${place} cannot be opened (${(error as Error).message}). Put the master key back that they ` +
          'were sealed with: after the new one in SECRETS_KEYS, or the file secrets.key from the backup. Where it is lost, run ' +
          '"npm run claim-again -- --without-keys" while the service is stopped.',
        { cause: error },
      )
    }
    if (sealedBy(key.sealed) !== first) old.push({ ...key, by: sealer.seal(secret, owner) })
  }
  await store.replace(old)
  return old.length
}
