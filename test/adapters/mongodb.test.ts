/**
 * The read side on MongoDB: against the server that `MONGODB_URL` names, else against FerretDB, which
 * `node test/engines/ferretdb/install.ts` brings. Without either these tests do not run, and say so.
 */
import { randomUUID } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { mongoProjectionStore } from '../../src/adapters/mongodb/projection-store.ts'
import { mongoReadModels } from '../../src/adapters/mongodb/read-models.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import { readSideContract } from '../contracts/read-side.ts'
import type { ReadSide } from '../contracts/read-side/side.ts'
import { installedVersion, VERSION } from '../engines/ferretdb/binary.ts'
import { startFerretDb, type FerretDb } from '../engines/ferretdb/start.ts'

const given = process.env['MONGODB_URL']
const hasFerretDb = !given && (await installedVersion()) === VERSION
const engine = given ? 'the server of MONGODB_URL' : `FerretDB ${VERSION}`

let server: FerretDb | undefined
let databases: string[] = []

/** A database of its own on the server under test. */
function newDatabase(): string {
  const base = new URL(given ?? server!.url)
  const name = `daybook_test_${randomUUID().slice(0, 8)}`
  base.pathname = `/${name}`
  databases.push(base.href)
  return base.href
}

async function openReadSide(definitions: Definitions, url = newDatabase()): Promise<ReadSide> {
  const [readModels, store] = [
    await mongoReadModels({ url, definitions }),
    await mongoProjectionStore({ url, definitions, leaseMs: 3_000 }),
  ]
  const close = async () => {
    await store.close()
    await readModels.close()
  }
  return {
    readModels,
    store,
    async reopen() {
      await close()
      return openReadSide(definitions, url)
    },
    discard: close,
  }
}

const suite = given || hasFerretDb ? describe : describe.skip
if (suite === describe.skip)
  console.log(
    '\nNOT TESTED: the read side on MongoDB. Set MONGODB_URL, or run: node test/engines/ferretdb/install.ts\n',
  )

suite(`the read side on MongoDB (${engine})`, () => {
  before(async () => {
    if (!given) server = await startFerretDb()
  })
  after(async () => {
    for (const url of given ? databases : []) {
      const client = new MongoClient(url)
      await client.db().dropDatabase()
      await client.close()
    }
    databases = []
    await server?.stop()
  })

  readSideContract((definitions) => openReadSide(definitions))
})
