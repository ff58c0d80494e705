/**
 * The warehouse's current rows as collections `wh_<Application>_<Object>` in the service's own database, for operators' own
 * tools. A sink: the service writes it and never reads it back for anybody.
 *
 * One process at a time writes, the one that holds the lease. The checkpoint is moved after everything that it covers, and
 * what is repeated changes nothing (`write-rows.ts`).
 */
import type { Collection } from 'mongodb'
import type { Definitions } from '../../../domain/definition.ts'
import { evolveCatalogue, type Catalogue } from '../../../domain/warehouse/catalogue.ts'
import { foldingOf, type Folding } from '../../../domain/warehouse/fold.ts'
import type { WarehouseOperation } from '../../../domain/warehouse/operation.ts'
import { timestampOf } from '../../../domain/fields/dates.ts'
import { placed } from '../../../domain/warehouse/ordinals.ts'
import type { ProjectionStore } from '../../../ports/projection-store.ts'
import type { CheckpointDocument, LeaseDocument, StatesDocument } from '../bookkeeping.ts'
import { checkpointOf, type Checkpoint } from '../checkpoint.ts'
import { connect, type Connection } from '../connection.ts'
import { ledStatus, ledStore, type LedStore, type LedTerm } from '../led-store.ts'
import { forgetOthers, moveReached, readReached, type OrdinalDocument } from './ordinals.ts'
import { prepareRows, writeRows, type RowDocument } from './write-rows.ts'

export type MongoSink = LedStore<WarehouseOperation>

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
export const sinkStatus = (collections: Pick<SinkCollections, 'checkpoint' | 'states'>) =>
  ledStatus(collections, SINK)

interface Term extends LedTerm {
  readonly folding: Folding
  readonly epoch: number
}

export function mongoSink({ url, definitions, now, leaseMs, onTrouble }: MongoSinkOptions): MongoSink {
  const collections = sinkCollections({ url, definitions })
  return ledStore<WarehouseOperation, Term>({
    name: SINK,
    collections,
    begin: (of) => termOf(collections, { of, definitions, now }),
    write: (term, work) => write(collections, term, work),
    forget: () => collections.catalogues.updateOne({ _id: SINK }, { $set: { outdated: true } }),
    leaseMs,
    onTrouble,
  })
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
  const { operations } = placed(steps, reached)
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
  const at = timestampOf(now())
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
