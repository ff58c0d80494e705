/** Keys of companies, taken from one database of MongoDB into another: the same log is then followed into both. */
import { MongoClient, type Document } from 'mongodb'

export async function copyKeys(from: string, to: string): Promise<void> {
  const clients = [new MongoClient(from), new MongoClient(to)]
  try {
    const [source, target] = clients.map((client) => client.db().collection<Document>('company_keys'))
    const keys = await source!.find().toArray()
    await target!.insertMany(keys)
  } finally {
    for (const client of clients) await client.close()
  }
}
