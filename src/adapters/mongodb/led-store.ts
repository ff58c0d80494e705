/**
 * What projections that one process at a time writes to MongoDB have in common: a lease, a checkpoint that is moved after
 * everything that it covers, and how they stand for other processes to see. What is written, and how, is up to each.
 */
import type { Collection } from 'mongodb'
import { Unavailable } from '../../domain/errors.ts'
import type { Position } from '../../domain/events/event.ts'
import { refuseGap, type LastEvent, type ProjectionStore } from '../../ports/projection-store.ts'
import type { ProjectionStatus } from '../../ports/read-models.ts'
import type { LeaseDocument, StatesDocument } from './bookkeeping.ts'
import type { Checkpoint } from './checkpoint.ts'
import type { Connection } from './connection.ts'
import { asWriteError } from './domain-errors.ts'
import { LEASE_MS, newHolder, seekLease } from './lease.ts'
import { oneAtATime } from './one-at-a-time.ts'

export interface LedStore<O> extends ProjectionStore<O> {
  /**
   * Resolves once this process is the one that writes, with what was there removed if it has to be written again.
   * @throws Unavailable when the store is closed before
   */
  leading(): Promise<void>
  /** Whether this process writes, as far as it can know. */
  isLeading(): boolean
  /** The last event that is covered. */
  last(): Promise<LastEvent | undefined>
  /** Removes everything and goes back to before the first event. */
  clear(): Promise<void>
  /** Shows every process how the projection stands. */
  publish(statuses: readonly ProjectionStatus[]): Promise<void>
}

/** What is known while this process writes: of which term of the lease, and how far it has come. */
export interface LedTerm {
  readonly of: number
  position: Position
}

export interface LedCollections {
  readonly connection: Connection
  readonly leases: Collection<LeaseDocument>
  readonly states: Collection<StatesDocument>
  readonly checkpoint: Checkpoint
}

export interface LedStoreOptions<O, T extends LedTerm> {
  /** Of the projection, its lease and its documents. */
  readonly name: string
  readonly collections: LedCollections
  /** What has to be known and done before anything is written in that term. */
  readonly begin: (of: number) => Promise<T>
  /** Writes what lies after the term's position. */
  readonly write: (term: T, work: Parameters<ProjectionStore<O>['apply']>[0]) => Promise<void>
  /** Marks everything to be removed by the next `begin`. */
  readonly forget: (of: number) => Promise<unknown>
  readonly leaseMs?: number | undefined
  readonly onTrouble?: ((message: string, error: unknown) => void) | undefined
}

/** How the projection stands, by what the process that writes has said of it. */
export async function ledStatus(
  { checkpoint, states }: Pick<LedCollections, 'checkpoint' | 'states'>,
  name: string,
): Promise<ProjectionStatus> {
  const position = (await checkpoint.read()).positions.get(name) ?? 0
  const [published] = (await states.findOne({ _id: name }))?.statuses ?? []
  const { state = 'live', error, rebuilding } = published ?? {}
  return { name, position, state, ...(error && { error }), ...(rebuilding && { rebuilding }) }
}

export function ledStore<O, T extends LedTerm>(options: LedStoreOptions<O, T>): LedStore<O> {
  const { name, leaseMs = LEASE_MS, onTrouble = () => {} } = options
  const { connection, leases, states, checkpoint } = options.collections
  const { ready } = connection
  const holder = newHolder()
  const lease = seekLease({ leases, ready, id: name, holder, leaseMs, onTaken: () => {}, onTrouble })
  const inTurn = oneAtATime()
  let term: T | undefined
  let published = ''

  const begin = async (of: number): Promise<T> => (term = term?.of === of ? term : await options.begin(of))

  const guarded = <R>(work: () => Promise<R>): Promise<R> =>
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
    position: () => guarded(async () => (await checkpoint.read()).positions.get(name) ?? 0),
    apply: (work, upTo, last) =>
      guarded(async () => {
        const at = await begin(await lease.held(leaseMs / 3))
        if (at.position >= upTo) return
        for (const one of work) refuseGap(one, at.position)
        await options.write(at, work)
        await checkpoint.move(at.of, [name], upTo, last)
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
        await options.forget(of)
        await begin(of)
      })
    },
    publish: (statuses) =>
      guarded(async () => {
        const said = JSON.stringify(statuses.map(({ position: _, ...status }) => status))
        if (said === published) return
        await states.replaceOne({ _id: name }, { statuses: [...statuses] }, { upsert: true })
        published = said
      }),
    async close() {
      await inTurn(async () => {})
      await lease.close()
      await connection.close()
    },
  }
}
