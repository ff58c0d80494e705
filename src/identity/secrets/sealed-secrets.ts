/**
 * Secrets at rest: AES-256-GCM with a key that is kept outside the database, so that a dump of it contains no usable secret.
 *
 * A secret is bound to its owner (the Key of its record, for example): copied to another one it does not open. The first
 * key of the ring seals; all keys open, so that a key can be replaced without an interruption.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export interface Sealer {
  /** The secret encrypted. `owner`: what the secret belongs to. */
  seal(secret: string, owner: string): string
  /** @throws Error when it was sealed by an unknown key, for another owner, or has been changed */
  open(sealed: string, owner: string): string
  /** Names of the keys, newest first; nobody finds a key by its name. */
  names(): readonly string[]
  /** A key derived from the first key for another purpose, 32 bytes. */
  derive(purpose: string): Buffer
  /** The same for every key of the ring, by the name of the key, newest first: to verify what earlier keys have made. */
  deriveAll(purpose: string): ReadonlyMap<string, Buffer>
}

/** Version, key name, nonce, tag and ciphertext, each in base64url. */
const FORMAT = /^v1\.([\w-]{8})\.([\w-]{16})\.([\w-]{22})\.([\w-]*)$/

/** @param keys master keys of 32 bytes or more, newest first */
export function sealer(keys: readonly Uint8Array[]): Sealer {
  const ring = keys.map((key) => ({
    master: key,
    sealing: derived(key, 'sealed-secrets'),
    name: derived(key, 'key-name').subarray(0, 6).toString('base64url'),
  }))
  const [first] = ring
  if (!first) throw new Error('no key to encrypt secrets with')
  return {
    seal(secret, owner) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', first.sealing, nonce).setAAD(Buffer.from(owner))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      const parts = [nonce, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))
      return ['v1', first.name, ...parts].join('.')
    },
    open(sealed, owner) {
      const [, name, nonce, tag, text] = FORMAT.exec(sealed) ?? []
      if (nonce === undefined || tag === undefined || text === undefined)
        throw new Error('not a sealed secret')
      const key = ring.find((one) => one.name === name)
      if (!key) throw new Error(`a secret of ${owner} was sealed by a key that is not known here`)
      const decipher = createDecipheriv('aes-256-gcm', key.sealing, Buffer.from(nonce, 'base64url'), {
        authTagLength: 16,
      })
      decipher.setAAD(Buffer.from(owner)).setAuthTag(Buffer.from(tag, 'base64url'))
      return decipher.update(Buffer.from(text, 'base64url'), undefined, 'utf8') + decipher.final('utf8')
    },
    names: () => ring.map(({ name }) => name),
    derive: (purpose) => derived(first.master, `purpose:${purpose}`),
    deriveAll: (purpose) =>
      new Map(ring.map(({ name, master }) => [name, derived(master, `purpose:${purpose}`)])),
  }
}

/** The name of the key that sealed it; undefined for what is not a sealed secret. */
export const sealedBy = (sealed: string): string | undefined => FORMAT.exec(sealed)?.[1]

function derived(key: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, new Uint8Array(), `daybook/${purpose}`, 32))
}
