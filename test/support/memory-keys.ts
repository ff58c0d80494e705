/** Keys of companies in memory, the same in every process of a test. */
import { createHash } from 'node:crypto'
import type { KeyRecords } from '../../src/identity/secrets/key-records.ts'
import { companyKeys, type CompanyKeys } from '../../src/identity/secrets/company-keys.ts'
import type { KeyStore } from '../../src/ports/key-store.ts'

/** @param now milliseconds since 1970 */
export const memoryKeys = (now: () => number, store: KeyStore = shared): CompanyKeys =>
  companyKeys({ store, now, records: noRecords, sealer: { seal: (text) => text, open: (text) => text } })

/** Keys that never get lost: what is recorded of them is what they are. */
const noRecords: KeyRecords = { of: async () => undefined, add: async (_company, fingerprint) => fingerprint }

export function memoryKeyStore(): KeyStore {
  const keys = new Map<string, string>()
  const id = crypto.randomUUID()
  const nameOf = (company: string, purpose: string) => `${purpose} ${company}`
  return {
    id: async () => id,
    find: async (company, purpose) => keys.get(nameOf(company, purpose)),
    list: async () =>
      [...keys].map(([name, sealed]) => {
        const [purpose, company] = name.split(' ') as [string, string]
        return { company, purpose, sealed }
      }),
    async replace(changes) {
      for (const { company, purpose, sealed, by } of changes) {
        const name = nameOf(company, purpose)
        if (keys.get(name) === sealed) keys.set(name, by)
      }
    },
    async add(company, purpose, sealed) {
      const name = nameOf(company, purpose)
      if (!keys.has(name)) keys.set(name, sealed)
      return keys.get(name)!
    },
    async destroy(prefix, before) {
      for (const name of keys.keys()) {
        const purpose = name.slice(0, name.indexOf(' '))
        if (purpose >= prefix && purpose < before) keys.delete(name)
      }
    },
    close: async () => {},
  }
}

/** Processes of one test share their keys as they share their log; and the same story has the same keys each time. */
const shared: KeyStore = {
  ...memoryKeyStore(),
  find: async (company, purpose) => createHash('sha256').update(`${purpose} ${company}`).digest('base64'),
}
