/**
 * The warehouse's current rows as collections `wh_<Application>_<Object>` in the service's own database, for operators' own
 * tools. A sink: the service writes it and never reads it back for anybody.
 *
 * One process at a time writes, the one that holds the lease. The checkpoint is moved after everything that it covers, and
 * what is repeated changes nothing (`write-rows.ts`).
 */
import type { Collection } from 'mongodb'
import type { Definitions } from '../../../domain/definition.ts'
import { Unavailable } from '../../../domain/errors.ts'
import type { Position } from '../../../domain/events/event.ts'
import { evolveCatalogue, type Catalogue } from '../../../domain/warehouse/catalogue.ts'
import { foldingOf, type Folding } from '../../../domain/warehouse/fold.ts'
import type { WarehouseOperation } from '../../../domain/warehouse/operation.ts'
import { placed } from '../../../domain/warehouse/ordinals.ts'
import { refuseGap, type LastEvent, type ProjectionStore } from '../../../ports/projection-store.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import type { CheckpointDocument, LeaseDocument, StatesDocument } from '../bookkeeping.ts'
import { checkpointOf, type Checkpoint } from '../checkpoint.ts'
import { connect, type Connection } from '../connection.ts'
import { asWriteError } from '../domain-errors.ts'
import { LEASE_MS, newHolder, seekLease } from '../lease.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { forgetOthers, moveReached, readReached, type OrdinalDocument } from './ordinals.ts'
import { prepareRows, writeRows, type RowDocument } from './write-rows.ts'

export interface MongoSink extends ProjectionStore<WarehouseOperation> {
  /**
   * Resolves once this process is the one that writes, with the rows removed if they do not follow from the events by
   * these definitions: they are then written again from the first event.
   * @throws Unavailable when the store is closed before
   */
  leading(): Promise<void>
  /** Whether this process is the one that writes, as far as it can be sure. */
  isLeading(): boolean
  /** The last event that the rows cover. */
  last(): Promise<LastEvent | undefined>
  /** Removes every row and goes back to before the first event. */
  clear(): Promise<void>
  /** Shows every process how the projection stands. */
  publish(statuses: readonly ProjectionStatus[]): Promise<void>
}

export interface MongoSinkOptions {
  readonly url: string
  readonly definitions: Definitions
  /** Milliseconds since 1970: when a change of the schema is noted. */
  readonly now: () => number
  readonly leaseMs?: number
  readonly onTrouble?: (message: string, error: unknown) => void
}

/** Names the sink's documents, and is its projection's name. */
const SINK = 'warehouse-mongodb'

interface CatalogueDocument {
  readonly _id: string
  readonly catalogue: string
  /** The rows do not follow from the events by this catalogue and have to be removed. */
  readonly outdated: boolean
  /** How often all rows were removed. Without it the rows have no ordinals yet. */
  readonly epoch?: number
}

export interface SinkCollections {
  readonly connection: Connection
  readonly leases: Collection<LeaseDocument>
  readonly positions: Collection<CheckpointDocument>
  readonly states: Collection<StatesDocument>
  readonly catalogues: Collection<CatalogueDocument>
  readonly ordinals: Collection<OrdinalDocument>
  readonly checkpoint: Checkpoint
  rows(table: string): Collection<RowDocument>
}

export function sinkCollections({ url, definitions }: Pick<MongoSinkOptions, 'url' | 'definitions'>) {
  const connection = connect({ url, definitions, generation: SINK })
  const { database } = connection
  const positions = database.collection<CheckpointDocument>('warehouse_positions')
  return {
    connection,
    leases: database.collection<LeaseDocument>('warehouse_leases'),
    positions,
    states: database.collection<StatesDocument>('warehouse_states'),
    catalogues: database.collection<CatalogueDocument>('warehouse_catalogue'),
    ordinals: database.collection<OrdinalDocument>('warehouse_ordinals'),
    checkpoint: checkpointOf(positions, () => SINK),
    rows: (table: string) => database.collection<RowDocument>(table),
  } satisfies SinkCollections
}

export interface KeptCatalogue {
  readonly catalogue: Catalogue
  readonly outdated: boolean
  readonly epoch: number
}

/** What the rows were written by; undefined: nothing was written yet. */
export async function keptCatalogue({
  catalogues,
}: Pick<SinkCollections, 'catalogues'>): Promise<KeptCatalogue | undefined> {
  const found = await catalogues.findOne({ _id: SINK })
  if (!found) return undefined
  const { catalogue, outdated, epoch } = found
  return {
    catalogue: JSON.parse(catalogue) as Catalogue,
    outdated: outdated || epoch === undefined,
    epoch: epoch ?? 0,
  }
}

/** How the sink stands, by what the process that writes has said of it. */
export async function sinkStatus({
  checkpoint,
  states,
}: Pick<SinkCollections, 'checkpoint' | 'states'>): Promise<ProjectionStatus> {
  const position = (await checkpoint.read()).positions.get(SINK) ?? 0
  const [published] = (await states.findOne({ _id: SINK }))?.statuses ?? []
  const { state = 'live', error, rebuilding } = published ?? {}
  return { name: SINK, position, state, ...(error && { error }), ...(rebuilding && { rebuilding }) }
}

interface Term {
  readonly of: number
  readonly folding: Folding
  readonly epoch: number
  position: Position
}

export function mongoSink({
  url,
  definitions,
  now,
  leaseMs = LEASE_MS,
  onTrouble = () => {},
}: MongoSinkOptions): MongoSink {
  const collections = sinkCollections({ url, definitions })
  const { connection, leases, states, catalogues, checkpoint } = collections
  const lease = seekLease({
    leases,
    ready: connection.ready,
    id: SINK,
    holder: newHolder(),
    leaseMs,
    onTaken: () => {},
    onTrouble,
  })
  const inTurn = oneAtATime()
  let term: Term | undefined
  let published = ''

  /** What has to be known before anything is written in this term. */
  const begin = async (of: number): Promise<Term> =>
    (term = term?.of === of ? term : await termOf(collections, { of, definitions, now }))

  const guarded = <T>(work: () => Promise<T>): Promise<T> =>
    inTurn(async () => {
      try {
        await connection.ready()
        return await work()
      } catch (error) {
        const known = asWriteError(error)
        if (known instanceof Unavailable) term = undefined // how far it came is not known
        throw known
      }
    })

  return {
    position: () => guarded(async () => (await checkpoint.read()).positions.get(SINK) ?? 0),
    apply: (work, upTo, last) =>
      guarded(async () => {
        const at = await begin(await lease.held(leaseMs / 3))
        if (at.position >= upTo) return
        for (const one of work) refuseGap(one, at.position)
        await write(collections, at, work)
        await checkpoint.move(at.of, [SINK], upTo, last)
        at.position = upTo
      }),
    settled: async () => {},
    async leading() {
      const of = await lease.held()
      await guarded(() => begin(of))
    },
    isLeading: () => lease.term() !== undefined,
    last: () => guarded(async () => (await checkpoint.lasts())[0]),
    async clear() {
      const of = await lease.held(leaseMs / 3)
      await guarded(async () => {
        term = undefined
        await catalogues.updateOne({ _id: SINK }, { $set: { outdated: true } })
        await begin(of)
      })
    },
    publish: (statuses) =>
      guarded(async () => {
        const said = JSON.stringify(statuses.map(({ position: _, ...status }) => status))
        if (said === published) return
        await states.replaceOne({ _id: SINK }, { statuses: [...statuses] }, { upsert: true })
        published = said
      }),
    async close() {
      await inTurn(async () => {})
      await lease.close()
      await connection.close()
    },
  }
}

/** Writes the rows that the work leads to, and then how far their companies have come. */
async function write(
  { connection, ordinals }: SinkCollections,
  { position: from, epoch, folding }: Term,
  work: Parameters<ProjectionStore<WarehouseOperation>['apply']>[0],
): Promise<void> {
  const steps = work.flatMap((one) => one.steps).filter(({ position }) => position > from)
  const companies = new Set(steps.flatMap((step) => step.operations.map(({ company }) => company)))
  const reached = await readReached(ordinals, epoch, [...companies])
  const operations = placed(steps, reached)
  if (operations.length > 0) await writeRows({ database: connection.database, folding, operations })
  await moveReached(ordinals, epoch, reached, connection.writesAtOnce)
}

/** Brings the collections to the definitions, for a term of the lease that has begun. */
async function termOf(
  collections: SinkCollections,
  { of, definitions, now }: Pick<MongoSinkOptions, 'definitions' | 'now'> & { readonly of: number },
): Promise<Term> {
  const { catalogues, checkpoint, ordinals, positions, rows } = collections
  let epoch = 0
  const keep = (catalogue: Catalogue, outdated: boolean) => {
    const document = { catalogue: JSON.stringify(catalogue), outdated, epoch }
    return catalogues.replaceOne({ _id: SINK }, document, { upsert: true })
  }
  let position = (await checkpoint.claim(of)).get(SINK) ?? 0
  const at = `${new Date(now()).toISOString().slice(0, 19)}Z`
  const known = await keptCatalogue(collections)
  const { catalogue, rebuild } = evolveCatalogue(known?.catalogue, definitions, { at, position })
  epoch = known?.epoch ?? 0
  if (rebuild || known?.outdated) {
    epoch++
    await keep(catalogue, true)
    await positions.updateOne({ _id: SINK, term: of }, { $set: { positions: {} }, $unset: { last: '' } })
    for (const { name } of catalogue.tables) await rows(name).deleteMany({})
    position = 0
  }
  for (const table of catalogue.tables) await prepareRows(rows(table.name), table)
  await forgetOthers(ordinals, epoch)
  await keep(catalogue, false)
  return { of, position, epoch, folding: foldingOf(catalogue) }
}
