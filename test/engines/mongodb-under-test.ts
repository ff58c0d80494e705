/**
 * The MongoDB of a test run: the server that `MONGODB_URL` names, else a FerretDB that is started for the run, if it is
 * installed. Every suite gets databases of its own.
 */
import { randomUUID } from 'node:crypto'
import { MongoClient } from 'mongodb'
import { installedVersion, VERSION } from './ferretdb/binary.ts'
import { startFerretDb, type FerretDb } from './ferretdb/start.ts'

export interface MongoUnderTest {
  /** For titles. */
  readonly name: string
  start(): Promise<void>
  /** The URL of a database that is not there yet. */
  newDatabase(): string
  /** Removes the databases, and the server if it was started here. */
  stop(): Promise<void>
}

export const hasFerretDb = (await installedVersion()) === VERSION

/** What to do for tests that need a server which they may kill. */
export const NO_FERRETDB = 'run: node test/engines/ferretdb/install.ts'

export const NOT_TESTED = `set MONGODB_URL, or ${NO_FERRETDB}`

/** Undefined when there is no server to test against. */
export function mongoUnderTest(): MongoUnderTest | undefined {
  const given = process.env['MONGODB_URL']
  if (!given && !hasFerretDb) return undefined
  const databases: string[] = []
  let server: FerretDb | undefined
  return {
    name: given ? 'the server of MONGODB_URL' : `FerretDB ${VERSION}`,
    async start() {
      if (!given) server = await startFerretDb()
    },
    newDatabase() {
      const url = withDatabase(given ?? server!.url, `daybook_test_${randomUUID().slice(0, 8)}`)
      databases.push(url)
      return url
    },
    async stop() {
      if (given) await Promise.all(databases.map(drop))
      await server?.stop()
    },
  }
}

/** The URL with another database; it may name several hosts, so it is not always a URL to the standard's taste. */
export function withDatabase(url: string, name: string): string {
  const [, server, query = ''] = /^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?(\?.*)?$/.exec(url) ?? []
  if (!server) throw new Error(`no URL of a MongoDB: ${url.replace(/\/\/[^@]*@/, '//')}`)
  return `${server}/${name}${query}`
}

async function drop(url: string): Promise<void> {
  const client = new MongoClient(url)
  try {
    await client.db().dropDatabase()
  } finally {
    await client.close()
  }
}
