/**
 * The warehouses as their projection writes them on MongoDB: collections in each company's own database.
 *
 * One process at a time writes, the one that holds the lease. The checkpoint is moved after everything that it covers, and
 * what is repeated changes nothing (`batch.ts`).
 */
import { Unavailable } from '../../../domain/errors.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import { evolveCatalogue, type Catalogue } from '../../../domain/warehouse/catalogue.ts'
import { historyName } from '../../../domain/warehouse/columns.ts'
import type { ProjectionStore, Step } from '../../../ports/projection-store.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import type { WarehouseOperation } from '../../../ports/warehouse.ts'
import { checkpointOf } from '../checkpoint.ts'
import { asDomainError } from '../domain-errors.ts'
import { LEASE_MS, newHolder, seekLease } from '../lease.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { writeBatch } from './batch.ts'
import { warehouseCollections, type WarehouseCollections } from './collections.ts'
import { ALL, readCatalogue, warehouseDatabases, type DatabasesOptions } from './databases.ts'
import { foldingOf, type Folding } from './fold.ts'
import { removeBeside, takeOver } from './take-over.ts'

export interface MongoWarehouseStore extends ProjectionStore<WarehouseOperation> {
  /**
   * Resolves once this process is the one that writes. True: the definitions have changed in a way that what is stored does
   * not follow from, and it is to be built anew. Rejects with Unavailable when the store is closed before.
   */
  leading(): Promise<boolean>
  /** Lets every process know how the projection stands. */
  publish(statuses: readonly ProjectionStatus[]): Promise<void>
  /** A second warehouse to be built beside this one. */
  beside(): MongoRebuilding
}

export interface MongoRebuilding {
  readonly store: ProjectionStore<WarehouseOperation>
  /** Puts what was built in place of what is there; false when that has come further by now. */
  swap(): Promise<boolean>
  /** Removes what was built, if it was not put in place. */
  discard(): Promise<void>
}

export interface MongoWarehouseOptions extends DatabasesOptions {
  /** Milliseconds since 1970: when a change of the schema is noted. */
  readonly now: () => number
  readonly leaseMs?: number
  readonly onTrouble?: (message: string, error: unknown) => void
}

interface Term {
  readonly of: number
  readonly catalogue: Catalogue
  readonly outdated: boolean
  readonly folding: Folding
  readonly collections: WarehouseCollections
  position: Position
}

const BESIDE = 'rebuilding_'

export function mongoWarehouseStore({
  url,
  definitions,
  now,
  leaseMs = LEASE_MS,
  onTrouble = () => {},
}: MongoWarehouseOptions): MongoWarehouseStore {
  const databases = warehouseDatabases({ url, definitions })
  const { connection, leases, positions, states, catalogues } = databases
  const checkpoint = checkpointOf(positions, () => ALL)
  const lease = seekLease({
    leases,
    ready: connection.ready,
    id: ALL,
    holder: newHolder(),
    leaseMs,
    onTaken: () => {},
    onTrouble,
  })
  const inTurn = oneAtATime()
  let term: Term | undefined
  let published = ''

  /** What has to be known before anything is written in this term. */
  const begin = async (of: number): Promise<Term> => {
    if (term?.of === of) return term
    term = undefined
    const position = (await checkpoint.claim(of)).get(ALL) ?? 0
    const at = `${new Date(now()).toISOString().slice(0, 19)}Z`
    const known = await readCatalogue(databases)
    const { catalogue, rebuild } = evolveCatalogue(known.catalogue, definitions, { at, position })
    const outdated = known.outdated || rebuild
    const text = JSON.stringify(catalogue)
    if (text !== JSON.stringify(known.catalogue) || outdated !== known.outdated)
      await catalogues.updateOne({ _id: ALL }, { $set: { catalogue: text, outdated } }, { upsert: true })
    const collections = warehouseCollections({ databases, catalogue })
    return (term = { of, position, catalogue, outdated, folding: foldingOf(catalogue), collections })
  }
  const current = async (): Promise<Term> => begin(await lease.held(leaseMs / 3))

  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      await connection.ready()
      return await work()
    } catch (error) {
      const known = asDomainError(error)
      if (known instanceof Unavailable) term = undefined // how far it came is not known
      throw known
    }
  }

  const write = async (
    { folding }: Term,
    collections: WarehouseCollections,
    steps: readonly Step<WarehouseOperation>[],
  ): Promise<Company[]> => {
    const all = steps.flatMap(({ position, operations }) =>
      operations.map((operation) => ({ position, operation })),
    )
    const ofCompany = Map.groupBy(all, ({ operation }) => operation.company)
    const decimals = await databases.hasDecimals()
    for (const [company, operations] of ofCompany)
      await writeBatch({ company, collections, folding, decimals, operations })
    return [...ofCompany.keys()]
  }

  const beside = (): MongoRebuilding => {
    const companies = new Set<Company>()
    let side: { readonly of: Term; readonly collections: WarehouseCollections } | undefined
    let built: Position = 0
    const sideOf = async () => {
      const of = await current()
      side ??= { of, collections: warehouseCollections({ databases, ...of, prefix: BESIDE }) }
      if (side.of.of !== of.of) throw new Error('another process has come to write the warehouse')
      return { of, collections: side.collections }
    }
    return {
      store: {
        position: async () => built,
        apply: (work, upTo) =>
          inTurn(() =>
            guarded(async () => {
              if (built >= upTo) return
              const { of, collections } = await sideOf()
              const steps = work.flatMap((one) => one.steps).filter(({ position }) => position > built)
              for (const company of await write(of, collections, steps)) companies.add(company)
              built = upTo
            }),
          ),
        settled: async () => {},
        close: async () => {},
      },
      swap: () =>
        inTurn(() =>
          guarded(async () => {
            const { of, collections } = await sideOf()
            if (built < of.position) return false
            const names = of.catalogue.tables.flatMap(({ name }) => [name, historyName(name)])
            for (const company of companies)
              await takeOver({
                database: databases.of(company),
                names,
                wasBuilt: (name) => collections.isPrepared(company, name),
                prefix: BESIDE,
              })
            await checkpoint.move(of.of, [ALL], built)
            await catalogues.updateOne({ _id: ALL }, { $set: { outdated: false }, $inc: { built: 1 } })
            term = undefined
            return true
          }),
        ),
      discard: () => inTurn(() => guarded(() => removeBeside(databases, BESIDE))),
    }
  }

  return {
    position: () => guarded(async () => (await checkpoint.read()).positions.get(ALL) ?? 0),
    apply: (work, upTo) =>
      inTurn(() =>
        guarded(async () => {
          const at = await current()
          if (at.position >= upTo) return
          const steps = work.flatMap((one) => one.steps).filter(({ position }) => position > at.position)
          await write(at, at.collections, steps)
          await checkpoint.move(at.of, [ALL], upTo)
          at.position = upTo
        }),
      ),
    settled: async () => {},
    async leading() {
      const of = await lease.held()
      return inTurn(() => guarded(async () => (await begin(of)).outdated))
    },
    publish: (statuses) =>
      guarded(async () => {
        const said = JSON.stringify(statuses.map(({ position: _, ...status }) => status))
        if (said === published) return
        await states.replaceOne({ _id: ALL }, { statuses: [...statuses] }, { upsert: true })
        published = said
      }),
    beside,
    async close() {
      await inTurn(async () => {})
      await lease.close()
      await connection.close()
    },
  }
}
