/** From what was built beside to what is served: collection by collection, within a company's own database. */
import { MongoServerError, type Db } from 'mongodb'
import { databaseName, type WarehouseDatabases } from './databases.ts'

export interface TakeOver {
  readonly database: Db
  readonly names: readonly string[]
  /** Whether the table was built; of those that were not nothing is left. */
  readonly wasBuilt: (name: string) => boolean
  /** Before the names of what was built. */
  readonly prefix: string
}

/** Puts what was built in the place of what is served. */
export async function takeOver({ database, names, wasBuilt, prefix }: TakeOver): Promise<void> {
  const there = new Set(await namesIn(database))
  for (const name of names)
    if (wasBuilt(name)) await rename(database, prefix + name, name)
    else if (there.has(name)) await database.collection(name).deleteMany({})
}

/** Removes what a rebuild has left, of all companies. */
export async function removeBeside({ connection }: WarehouseDatabases, prefix: string): Promise<void> {
  const { client, databaseName: base } = connection.database
  const { databases } = await connection.database.admin().listDatabases({ nameOnly: true })
  const own = databases.filter(({ name }) => name.startsWith(databaseName(base, 'company-')))
  for (const { name: of } of own)
    for (const name of await namesIn(client.db(of)))
      if (name.startsWith(prefix)) await client.db(of).dropCollection(name)
}

async function namesIn(database: Db): Promise<string[]> {
  const found = await database.listCollections({}, { nameOnly: true }).toArray()
  return found.map(({ name }) => name)
}

const NOT_IMPLEMENTED = 238

async function rename(database: Db, from: string, to: string): Promise<void> {
  try {
    await database.renameCollection(from, to, { dropTarget: true })
  } catch (error) {
    // FerretDB cannot do both at once.
    if (!(error instanceof MongoServerError) || error.code !== NOT_IMPLEMENTED) throw error
    await database.dropCollection(to)
    await database.renameCollection(from, to)
  }
}
