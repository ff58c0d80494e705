/**
 * Keys of companies, each for one purpose: for names of claims, so that they do not give away the values; and for answers
 * to repeated requests, a key a day, which is destroyed when the answers need not be given again.
 *
 * The key for claims is never replaced: with another one, unique values would be claimed a second time. So its fingerprint is
 * recorded in the events before it is used, and a key that is missing or another is refused.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { KeyRecords } from './key-records.ts'
import type { Company } from '../../domain/events/event.ts'
import { recentlyUsed } from '../../domain/recently-used.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import { sealer, type Sealer } from './sealed-secrets.ts'

export interface CompanyKeys {
  /**
   * 32 hex digits or more that stand for the text, and that nobody can compute without the company's key.
   * @throws KeyLost when the key is not the one that the company's values were claimed with
   */
  nameOf(company: Company, text: string): Promise<string>
  /** The text encrypted by the company's key of the day. */
  seal(company: Company, text: string, owner: string): Promise<string>
  /** Undefined when the key of that day has been destroyed. @throws Error when it was not sealed for this owner */
  open(company: Company, sealed: string, owner: string): Promise<string | undefined>
  /** Makes a key for claims in place of one that is lost: all values of the company have to be claimed again. */
  renew(company: Company): Promise<void>
  /** Destroys keys of days whose answers are not given any more. */
  forget(): Promise<void>
}

export interface CompanyKeysOptions {
  readonly store: KeyStore
  readonly records: KeyRecords
  /** Seals the keys themselves. */
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A key that the company's unique values were claimed with is not there. An operator has to bring it back. */
export class KeyLost extends Error {
  constructor(company: Company, problem: string) {
    super(
      `The key of ${company} ${problem}: its unique values cannot be judged. Restore the keys of companies from the newest ` +
        'backup; where they are lost, stop the service and run "npm run claim-again -- --without-keys".',
    )
    this.name = 'KeyLost'
  }
}

const CLAIMS = 'claims'
const ANSWERS = 'answers:'
const DAY_MS = 86_400_000
const REMEMBERED = 10_000

/** What a key is bound to when it is sealed. */
export const ownerOfKey = (company: Company, purpose: string): string => `${purpose} ${company}`

export function companyKeys({ store, records, sealer: master, now }: CompanyKeysOptions): CompanyKeys {
  const known = { claims: recentlyUsed<Buffer>(REMEMBERED), answers: recentlyUsed<Buffer>(REMEMBERED) }
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
  const newSealed = (company: Company, purpose: string) =>
    master.seal(randomBytes(32).toString('base64'), ownerOfKey(company, purpose))
  const opened = (company: Company, purpose: string, sealed: string): Buffer =>
    Buffer.from(master.open(sealed, ownerOfKey(company, purpose)), 'base64')

  const claimsKey = async (company: Company): Promise<Buffer> => {
    const remembered = known.claims.get(company)
    if (remembered) return remembered
    // Asked for first: where it is recorded, the key has been there before.
    const recorded = await records.of(company)
    let sealed = await store.find(company, CLAIMS)
    if (sealed === undefined) {
      if (recorded !== undefined) throw new KeyLost(company, 'is missing')
      sealed = await store.add(company, CLAIMS, newSealed(company, CLAIMS))
    }
    let key: Buffer
    try {
      key = opened(company, CLAIMS, sealed)
    } catch (error) {
      throw new KeyLost(company, `cannot be opened (${(error as Error).message})`)
    }
    const own = fingerprintOf(key)
    if ((recorded ?? (await records.add(company, own))) !== own)
      throw new KeyLost(company, 'is not the one that its values were claimed with')
    known.claims.set(company, key)
    return key
  }

  const answersKey = async (company: Company, purpose: string): Promise<Buffer | undefined> => {
    const name = ownerOfKey(company, purpose)
    const remembered = known.answers.get(name)
    if (remembered) return remembered
    const sealed = await store.find(company, purpose)
    return sealed === undefined ? undefined : remember(name, opened(company, purpose, sealed))
  }
  const remember = (name: string, key: Buffer): Buffer => {
    known.answers.set(name, key)
    return key
  }
  const answersKeyOf = async (company: Company, purpose: string): Promise<Buffer> => {
    const found = await answersKey(company, purpose)
    if (found) return found
    const sealed = await store.add(company, purpose, newSealed(company, purpose))
    return remember(ownerOfKey(company, purpose), opened(company, purpose, sealed))
  }

  return {
    nameOf: async (company, text) =>
      createHmac('sha256', await claimsKey(company))
        .update(text)
        .digest('hex'),
    async seal(company, text, owner) {
      const day = dayOf(now())
      return `${day}.${sealer([await answersKeyOf(company, ANSWERS + day)]).seal(text, owner)}`
    },
    async open(company, sealed, owner) {
      const day = sealed.slice(0, 10)
      const key = await answersKey(company, ANSWERS + day)
      return key && sealer([key]).open(sealed.slice(11), owner)
    },
    async renew(company) {
      const by = newSealed(company, CLAIMS)
      const lost = await store.find(company, CLAIMS)
      if (lost === undefined) await store.add(company, CLAIMS, by)
      else await store.replace([{ company, purpose: CLAIMS, sealed: lost, by }])
      const key = opened(company, CLAIMS, (await store.find(company, CLAIMS))!)
      await records.add(company, fingerprintOf(key), true)
      known.claims.set(company, key)
    },
    async forget() {
      const today = now()
      // Of yesterday's answers the last is given again until the end of today.
      await store.destroy(ANSWERS, ANSWERS + dayOf(today - DAY_MS))
      known.answers.clear()
    },
  }
}

/** It can be shown: nobody finds 32 random bytes by it. */
function fingerprintOf(key: Buffer): string {
  return createHmac('sha256', key).update('fingerprint').digest('hex').slice(0, 32)
}
