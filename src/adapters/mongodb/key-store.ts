/** Keys of companies in MongoDB, one collection: written to a majority before they are used, and read from one. */
import { randomUUID } from 'node:crypto'
import type { Collection } from 'mongodb'
import { Unavailable } from '../../domain/errors.ts'
import type { KeyStore } from '../../ports/key-store.ts'
import { askingOf } from './asking.ts'
import { connect } from './connection.ts'
import { isDuplicate } from './domain-errors.ts'

interface KeyDocument {
  /** `<purpose> <company>`, or `STORE`. */
  readonly _id: string
  readonly purpose: string
  /** The key, sealed; of `STORE` the store's id. */
  readonly sealed: string
}

const STORE = 'store'

export function mongoKeyStore({ url }: { readonly url: string }): KeyStore {
  const connection = connect({ url, definitions: new Map(), silenceMs: 5_000 })
  const keys: Collection<KeyDocument> = connection.database.collection('company_keys')
  const asking = askingOf(connection)
  const find = async (_id: string) => (await keys.findOne({ _id }))?.sealed
  const add = async (document: KeyDocument): Promise<string> => {
    await keys.insertOne(document).catch((error: unknown) => {
      // Another process was faster: its key counts.
      if (!isDuplicate(error)) throw error
    })
    const kept = await find(document._id)
    // The primary has it, and refuses a second one, before a majority has it, which reads wait for.
    if (kept === undefined) throw new Unavailable(`the key ${document._id} is still being stored; try again`)
    return kept
  }
  const nameOf = (company: string, purpose: string) => `${purpose} ${company}`

  return {
    id: () =>
      asking(async () => (await find(STORE)) ?? add({ _id: STORE, purpose: '', sealed: randomUUID() })),
    find: (company, purpose) => asking(() => find(nameOf(company, purpose))),
    list: () =>
      asking(async () => {
        const documents = await keys.find({ _id: { $ne: STORE } }).toArray()
        return documents.map(({ _id, purpose, sealed }) => {
          return { company: _id.slice(purpose.length + 1), purpose, sealed }
        })
      }),
    replace: (changes) =>
      asking(async () => {
        const updates = changes.map(({ company, purpose, sealed, by }) => {
          const filter = { _id: nameOf(company, purpose), sealed }
          return { updateOne: { filter, update: { $set: { sealed: by } } } }
        })
        if (updates.length > 0) await keys.bulkWrite(updates, { ordered: false })
      }),
    add: (company, purpose, sealed) => asking(() => add({ _id: nameOf(company, purpose), purpose, sealed })),
    destroy: (prefix, before) =>
      asking(async () => {
        await keys.deleteMany({ purpose: { $gte: prefix, $lt: before } })
      }),
    close: () => connection.close(),
  }
}
