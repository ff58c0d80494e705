/**
 * Keys of companies, each for one purpose: for names of claims, so that they do not give away the values; and for answers
 * to repeated requests, a key a day, which is destroyed when the answers need not be given again.
 *
 * The key for claims is never replaced: with another one, unique values would be claimed a second time.
 */
import { createHmac, randomBytes } from 'node:crypto'
import type { Company } from '../../domain/events/event.ts'
import { recentlyUsed } from '../../domain/recently-used.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import { sealer, type Sealer } from './sealed-secrets.ts'

export interface CompanyKeys {
  /** 32 hex digits or more that stand for the text, and that nobody can compute without the company's key. */
  nameOf(company: Company, text: string): Promise<string>
  /** The text encrypted by the company's key of the day. */
  seal(company: Company, text: string, owner: string): Promise<string>
  /** Undefined when the key of that day has been destroyed. @throws Error when it was not sealed for this owner */
  open(company: Company, sealed: string, owner: string): Promise<string | undefined>
  /** Destroys keys of days whose answers are not given any more. */
  forget(): Promise<void>
}

export interface CompanyKeysOptions {
  readonly store: KeyStore
  /** Seals the keys themselves. */
  readonly sealer: Pick<Sealer, 'seal' | 'open'>
  /** Milliseconds since 1970. */
  readonly now: () => number
}

const CLAIMS = 'claims'
const ANSWERS = 'answers:'
const DAY_MS = 86_400_000
const REMEMBERED = 10_000

export function companyKeys({ store, sealer: master, now }: CompanyKeysOptions): CompanyKeys {
  const known = { claims: recentlyUsed<Buffer>(REMEMBERED), answers: recentlyUsed<Buffer>(REMEMBERED) }
  const cacheOf = (purpose: string) => (purpose === CLAIMS ? known.claims : known.answers)
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)

  const findKey = async (company: Company, purpose: string): Promise<Buffer | undefined> => {
    const name = `${purpose} ${company}`
    const remembered = cacheOf(purpose).get(name)
    if (remembered) return remembered
    const sealed = await store.find(company, purpose)
    return sealed === undefined ? undefined : opened(purpose, name, sealed)
  }
  const opened = (purpose: string, name: string, sealed: string): Buffer => {
    const key = Buffer.from(master.open(sealed, name), 'base64')
    cacheOf(purpose).set(name, key)
    return key
  }
  const keyOf = async (company: Company, purpose: string): Promise<Buffer> => {
    const found = await findKey(company, purpose)
    if (found) return found
    const name = `${purpose} ${company}`
    const made = master.seal(randomBytes(32).toString('base64'), name)
    return opened(purpose, name, await store.add(company, purpose, made))
  }

  return {
    nameOf: async (company, text) =>
      createHmac('sha256', await keyOf(company, CLAIMS))
        .update(text)
        .digest('hex'),
    async seal(company, text, owner) {
      const day = dayOf(now())
      return `${day}.${sealer([await keyOf(company, ANSWERS + day)]).seal(text, owner)}`
    },
    async open(company, sealed, owner) {
      const day = sealed.slice(0, 10)
      const key = await findKey(company, ANSWERS + day)
      return key && sealer([key]).open(sealed.slice(11), owner)
    },
    async forget() {
      const today = now()
      // Of yesterday's answers the last is given again until the end of today.
      await store.destroy(ANSWERS, ANSWERS + dayOf(today - DAY_MS))
      known.answers.clear()
    },
  }
}
