/**
 * The read models as the projections write them.
 *
 * One process at a time writes: the one that holds the lease (`lease.ts`). Any number may be open; `leading` tells when
 * it is a process's turn, within 10 s after the one before it died, at once when that one was closed. A process that
 * wrote and lost the lease gets Unavailable from `apply`; it may simply try again, as steps that another has applied are
 * passed over.
 *
 * MongoDB is not asked for transactions. A batch is written in an order that lets every crash be repeated: records, each
 * with the position it shows; then the fan-outs; last the checkpoint. What is repeated changes nothing.
 */
import type { Definitions } from '../../../domain/definition.ts'
import { Unavailable } from '../../../domain/errors.ts'
import type { Position } from '../../../domain/events/event.ts'
import type { ProjectionStore, Step } from '../../../ports/projection-store.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import { checkpointOf } from '../checkpoint.ts'
import { connect, generationOf } from '../connection.ts'
import { asWriteError } from '../domain-errors.ts'
import { changesOf, type Placed } from './record-changes.ts'
import { fanOuts } from './fan-outs.ts'
import { otherGenerations } from './generations.ts'
import { ensureIndexes, indexesOf } from './indexes.ts'
import { LEASE_MS, newHolder, seekLease } from '../lease.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { publishedStates } from './published-states.ts'
import { writeChanges } from './write-changes.ts'

export interface MongoProjectionStore extends ProjectionStore {
  /** Resolves once this process is the one that writes; rejects with Unavailable when the store is closed before. */
  leading(): Promise<void>
  /**
   * Shows every reader how the projections stand: what `ReadModels.status` answers beside the positions. In the
   * background, until it is stored.
   */
  publish(statuses: readonly ProjectionStatus[]): void
}

export interface MongoProjectionStoreOptions {
  /** `mongodb://…`; the database it names, else `daybook`. */
  readonly url: string
  readonly definitions: Definitions
  /** What is written: the generation that the definitions give, or a rebuild of it. */
  readonly generation?: string
  /** Another process may take over after this long without a sign of life. */
  readonly leaseMs?: number
  /** Called with what is worth a line in the log. */
  readonly onTrouble?: (message: string, error: unknown) => void
}

const SWEEP_MS = 60_000
const TRIES = 5

/** Makes the indexes as soon as it leads. A server that is away is waited for by each call, not here. */
export async function mongoProjectionStore({
  url,
  definitions,
  generation = generationOf(definitions),
  leaseMs = LEASE_MS,
  onTrouble = () => {},
}: MongoProjectionStoreOptions): Promise<MongoProjectionStore> {
  const connection = connect({ url, definitions, generation })
  const { leases, positions, states } = connection
  const checkpoint = checkpointOf(positions, () => generation)
  const others = otherGenerations(connection)
  const lease = seekLease({
    leases,
    ready: connection.ready,
    id: generation,
    holder: newHolder(),
    leaseMs,
    onTaken: () => void leading().catch(() => {}), // closed before it began
    onTrouble,
  })
  const inTurn = oneAtATime()
  let isClosed = false
  /** Where the projections stand in the term in which this process has prepared to write. */
  let prepared: { readonly term: number; readonly positions: Map<string, Position> } | undefined
  let hasIndexes = false

  const renames = fanOuts({
    connection,
    definitions,
    inTurn,
    mayWrite: () => prepared !== undefined && prepared.term === lease.term(),
    onChange: async () => prepared && (await checkpoint.touch(prepared.term)),
    onTrouble,
  })

  /** Inside a turn. */
  const prepare = async (term: number) => {
    if (prepared?.term === term) return prepared
    prepared = undefined
    if (!hasIndexes)
      for (const definition of definitions.values())
        await ensureIndexes(connection.records(definition.object), indexesOf(definition, definitions))
    hasIndexes = true
    const claimed = { term, positions: new Map(await checkpoint.claim(term)) }
    prepared = claimed
    await renames.resume()
    return claimed
  }

  const sweeping = setInterval(() => {
    if (!prepared || prepared.term !== lease.term()) return
    const reached = Math.min(...prepared.positions.values())
    others
      .sweep(reached)
      .catch((error: unknown) => onTrouble('old read models cannot be removed for now', error))
  }, SWEEP_MS).unref()

  const applyInTurn = async (
    work: readonly { readonly projection: string; readonly steps: readonly Step[] }[],
    upTo: Position,
  ) => {
    const { term, positions } = await prepare(await lease.held(leaseMs / 3))
    const behind = work.filter(({ projection }) => (positions.get(projection) ?? 0) < upTo)
    if (behind.length === 0) return
    const operations = behind.flatMap(({ projection, steps }) =>
      placed(steps, positions.get(projection) ?? 0, upTo),
    )
    for (let tries = 1; ; tries++) {
      const { changed, renamed } = await changesOf({ connection, definitions, operations })
      const isWhole = await writeChanges({ connection, changes: changed, onTrouble })
      if (isWhole) {
        await renames.add(renamed, upTo)
        break
      }
      if (lease.term() !== term || tries === TRIES)
        throw new Unavailable('another process writes the same records')
    }
    const names = behind.map(({ projection }) => projection)
    await checkpoint.move(term, names, upTo)
    for (const name of names) positions.set(name, upTo)
  }

  const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) throw new Unavailable('the projection store is closed')
    try {
      await connection.ready()
      return await work()
    } catch (error) {
      throw asWriteError(error)
    }
  }

  const published = publishedStates({
    store: (statuses) =>
      guarded(async () => {
        // Whoever writes by now has published its own.
        if (lease.term() === undefined) throw new Unavailable('another process writes the projections')
        await states.replaceOne({ _id: generation }, { statuses: [...statuses] }, { upsert: true })
      }),
    term: () => lease.term(),
    onTrouble,
  })

  /** Does at once what the process before left undone, without waiting for the next event. */
  const leading = async () => {
    for (;;) {
      const term = await lease.held()
      try {
        await inTurn(() => guarded(() => prepare(term)))
        return
      } catch (error) {
        if (isClosed) throw error
        onTrouble('this process cannot begin to write the projections for now', error)
        await new Promise((resolve) => setTimeout(resolve, leaseMs / 6))
      }
    }
  }

  return {
    position: (projection) => guarded(async () => (await checkpoint.read()).positions.get(projection) ?? 0),
    async apply(work, position) {
      await inTurn(async () => {
        try {
          await guarded(() => applyInTurn(work, position))
        } catch (error) {
          // How far the checkpoint came is not known: the next try reads it again.
          if (error instanceof Unavailable) prepared = undefined
          throw error
        }
      })
      renames.workOff()
    },
    async settled() {
      for (;;) {
        await renames.idle()
        // Another process may be working.
        if ((await guarded(() => connection.fanOuts.countDocuments({}))) === 0) return
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    leading,
    publish: (statuses) => published.publish(statuses),
    async close() {
      isClosed = true
      clearInterval(sweeping)
      await published.close()
      await renames.stop()
      await inTurn(async () => {})
      await lease.close()
      await connection.close()
    },
  }
}

/** The operations of the steps after `from`, each step once. Indexing comes last: it takes records as they then stand. */
function placed(steps: readonly Step[], from: Position, upTo: Position): Placed[] {
  const all: Placed[] = []
  let at = from
  for (const { position, operations } of steps) {
    if (position <= at) continue
    if (position > upTo) throw new RangeError(`a step at ${position} lies after the position ${upTo}`)
    at = position
    for (const operation of operations) all.push({ position, operation })
  }
  return all
}
