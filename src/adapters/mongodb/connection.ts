/**
 * The connection to MongoDB, and which collections are ours.
 *
 * Everything is read and written as a majority of the replica set holds it, journalled: a position that was read never
 * goes back. No wait is without a bound: a server that is gone, or that took the connection and then says nothing, is reported to the caller as Unavailable.
 */
import { MongoClient, type Collection, type Db } from 'mongodb'
import type { Definitions } from '../../domain/definition.ts'
import type { Position } from '../../domain/events/event.ts'
import { Unavailable } from '../../domain/errors.ts'
import type {
  CheckpointDocument,
  CollectionOfObject,
  CommandDocument,
  FanOutDocument,
  LeaseDocument,
  MemberDocument,
  PositionsDocument,
  PutAsideDocument,
  ReaderDocument,
  ServingDocument,
  ShareDocument,
  StatesDocument,
} from './bookkeeping.ts'
import { assertPlainNames } from './read-models/locations.ts'
import type { RecordDocument } from './read-models/record-document.ts'
import { generationOf } from './read-models/generation-of.ts'
import { servedGeneration, type ServedGeneration } from './read-models/serving.ts'
import { partsOf, positionsOf } from './sharing/whole.ts'

export interface Connection {
  readonly database: Db
  /** Names what the collections were built by, and by which rebuild; see `generationOf` and `serving.ts`. */
  readonly generation: string
  readonly leases: Collection<LeaseDocument>
  readonly positions: Collection<PositionsDocument>
  /** The same documents, as `checkpoint.ts` sees them. */
  readonly checkpoints: Collection<CheckpointDocument>
  readonly states: Collection<StatesDocument>
  readonly fanOuts: Collection<FanOutDocument>
  readonly serving: Collection<ServingDocument>
  readonly commands: Collection<CommandDocument>
  readonly putAside: Collection<PutAsideDocument>
  /**
   * How many documents one command writes: FerretDB holds one of its 100 connections for each until the command ends
   * (`docs/decisions/ferretdb-for-tests.md`).
   */
  readonly writesAtOnce: number
  readonly readers: Collection<ReaderDocument>
  /** What processes were given to write, and which take part. */
  readonly shares: Collection<ShareDocument>
  readonly members: Collection<MemberDocument>
  /** The records of an object, all companies'. @throws Unavailable while the collections of the generation are not known */
  records(object: string): Collection<RecordDocument>
  /** How far an object's collection had come when the generation took it over. */
  takenOverAt(object: string): Position
  /** Of a fixed generation: its collections. */
  use(collections: PositionsDocument['collections']): void
  /**
   * To be awaited before anything else is asked. The driver finds a server again that it has once found, but gives up for
   * good on one that was away the first time, unless it is asked to connect again.
   */
  ready(): Promise<void>
  close(): Promise<void>
}

export interface ConnectOptions {
  /** `mongodb://…`; the database it names, else `daybook`. */
  readonly url: string
  readonly definitions: Definitions
  /** Longest that a server may take to say anything to a request it was sent, in milliseconds; without it 30 s. */
  readonly silenceMs?: number
  /** The generation to write; without it, the one that is served, whichever that is at each call. */
  readonly generation?: string
}

const SILENCE_MS = 30_000
const WRITES_AT_ONCE = { mongoDb: 1_000, ferretDb: 20 }
/** How long a server is looked for before a call fails: reads are to fail within 2 s. */
const SELECTION_MS = 1_500

/** @throws Error when the driver does not take the URL; without its password */
export function checkUrl(url: string): void {
  new MongoClient(url).db(databaseOf(url))
}

/** Does not wait for the server: see `ready`. */
export function connect({
  url,
  definitions,
  silenceMs = SILENCE_MS,
  generation: fixed,
}: ConnectOptions): Connection {
  assertPlainNames(definitions)
  const client = new MongoClient(url, {
    appName: 'daybook',
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    writeConcern: { w: 'majority', journal: true, wtimeoutMS: 10_000 },
    serverSelectionTimeoutMS: SELECTION_MS,
    connectTimeoutMS: SELECTION_MS,
    waitQueueTimeoutMS: 2_000,
    socketTimeoutMS: silenceMs,
  })
  const database = client.db(databaseOf(url))
  const serving = database.collection<ServingDocument>('projection_serving')
  const positions = database.collection<PositionsDocument>('projection_positions')
  const shares = database.collection<ShareDocument>('projection_shares')
  let own: PositionsDocument['collections'] | undefined
  const served = servedBy({ serving, positions, shares, definitions })
  const generation = () => fixed ?? served.current()
  const collectionOf = (object: string): CollectionOfObject => {
    const collection = (fixed === undefined ? served.collections() : own)?.[object]
    if (!collection) throw new Unavailable(`the read model of ${object} is not there yet`)
    return collection
  }
  let connected: Promise<unknown> | undefined
  let isFerretDb = false
  const connectAndAsk = async () => {
    await client.connect()
    isFerretDb = 'ferretdbVersion' in (await database.command({ buildInfo: 1 }))
  }
  let isClosed = false
  return {
    database,
    get generation() {
      return generation()
    },
    leases: database.collection('projection_leases'),
    positions,
    checkpoints: database.collection('projection_positions'),
    states: database.collection('projection_states'),
    get fanOuts() {
      return database.collection<FanOutDocument>(`fanouts_${generation()}`)
    },
    serving,
    commands: database.collection('projection_commands'),
    putAside: database.collection('projection_put_aside'),
    readers: database.collection('projection_readers'),
    shares,
    members: database.collection('projection_members'),
    get writesAtOnce() {
      return isFerretDb ? WRITES_AT_ONCE.ferretDb : WRITES_AT_ONCE.mongoDb
    },
    records(object) {
      if (!definitions.has(object)) throw new Error(`there is no definition of the object ${object}`)
      return database.collection(collectionOf(object).name)
    },
    takenOverAt: (object) => collectionOf(object).from,
    use: (collections) => void (own = collections),
    async ready() {
      if (isClosed) throw new Unavailable('the connection to the read model is closed')
      connected ??= connectAndAsk().catch((error: unknown) => {
        connected = undefined
        throw error
      })
      await connected
      // Without definitions there is nothing of records to read.
      if (fixed === undefined && definitions.size > 0) await served.look()
    },
    async close() {
      isClosed = true
      await client.close()
    },
  }
}

/** Which generation is served, as the server says. */
function servedBy({
  serving,
  positions,
  shares,
  definitions,
}: Pick<Connection, 'serving' | 'positions' | 'shares'> & {
  readonly definitions: Definitions
}): ServedGeneration {
  return servedGeneration({
    serving,
    base: generationOf(definitions),
    async collectionsOf(_id) {
      return (await positions.findOne({ _id }, { projection: { collections: 1 } }))?.collections
    },
    async isAsFar(next, current) {
      // What is of another log shows what is not.
      if ((await positions.findOne({ _id: next }))?.replaces?.includes(current)) return true
      const reached = async (_id: string) =>
        positionsOf(await partsOf(() => positions.findOne({ _id }), shares))
      const [own, others] = [await reached(current), await reached(next)]
      return [...own].every(([projection, position]) => (others.get(projection) ?? 0) >= position)
    },
  })
}

function databaseOf(url: string): string {
  const name = /^mongodb(?:\+srv)?:\/\/[^/]*\/([^?]+)/.exec(url)?.[1]
  return name === undefined ? 'daybook' : decodeURIComponent(name)
}
