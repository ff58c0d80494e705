/**
 * The read models as the projections write them.
 *
 * One process at a time writes a generation: the one that holds its lease (`lease.ts`). Any number may be open; `leading`
 * resolves when it is a process's turn, within 10 s after the one before it died, at once when that one was closed. A
 * process that wrote and lost the lease gets Unavailable from `apply`; it may simply try again, as steps that another has
 * applied are passed over.
 *
 * MongoDB is not asked for transactions. A batch is written in an order that lets every crash be repeated: records, each
 * with the position it shows; then the fan-outs; last the checkpoint. What is repeated changes nothing.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Definitions } from '../../../domain/definition.ts'
import { Unavailable } from '../../../domain/errors.ts'
import type { Position } from '../../../domain/events/event.ts'
import {
  refuseGap,
  type LastEvent,
  type ProjectionStore,
  type Step,
  type Work,
} from '../../../ports/projection-store.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import { checkpointOf, type Checkpoint } from '../checkpoint.ts'
import { connect, type Connection } from '../connection.ts'
import { asWriteError } from '../domain-errors.ts'
import { fanOuts, type FanOuts } from './fan-outs.ts'
import { generationOf } from './generation-of.ts'
import { lastEventsOf, openGeneration, otherGenerations } from './generations.ts'
import { ensureIndexes, indexesOf } from './indexes.ts'
import { LEASE_MS, newHolder, seekLease, type Lease } from '../lease.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { publishedStates, type PublishedStates } from './published-states.ts'
import { changesOf, type Placed } from './record-changes.ts'
import { writeChanges } from './write-changes.ts'

export interface MongoProjectionStore extends ProjectionStore {
  /** Resolves once this process is the one that writes; rejects with Unavailable when the store is closed before. */
  leading(): Promise<void>
  /** Whether this process is the one that writes, as far as it can be sure. */
  isLeading(): boolean
  /** The last events that the read models cover, those of the generations that they share collections with included. */
  lastEvents(): Promise<readonly LastEvent[]>
  /**
   * Shows every reader how the projections stand: what `ReadModels.status` answers beside the positions. In the
   * background, until it is stored.
   */
  publish(statuses: readonly ProjectionStatus[]): void
  /** Says that the read models have once shown everything: from then on they may be served as they are. */
  built(): Promise<void>
}

export interface MongoProjectionStoreOptions {
  /** `mongodb://…`; the database it names, else `daybook`. */
  readonly url: string
  readonly definitions: Definitions
  /** What is written: the generation that the definitions give, or a rebuild of it. */
  readonly generation?: string
  /** The generation of another log, in whose place a rebuild is: nothing of it is shown any more. */
  readonly replaces?: string
  /** Another process may take over after this long without a sign of life. */
  readonly leaseMs?: number
  /** Called with what is worth a line in the log. */
  readonly onTrouble?: (message: string, error: unknown) => void
}

const SWEEP_MS = 60_000
const SETTLED_LOOK_MS = 20
const TRIES = 5

/** Makes the indexes as soon as it leads. A server that is away is waited for by each call, not here. */
export async function mongoProjectionStore(
  options: MongoProjectionStoreOptions,
): Promise<MongoProjectionStore> {
  return new Store(options)
}

class Store implements MongoProjectionStore {
  readonly #definitions: Definitions
  readonly #generation: string
  readonly #isRebuild: boolean
  readonly #replaces: string | undefined
  readonly #leaseMs: number
  readonly #onTrouble: (message: string, error: unknown) => void
  readonly #connection: Connection
  readonly #checkpoint: Checkpoint
  readonly #lease: Lease
  readonly #renames: FanOuts
  readonly #published: PublishedStates
  readonly #sweeping: NodeJS.Timeout
  readonly #inTurn = oneAtATime()
  readonly #closing = new AbortController()
  /** Where the projections stand in the term in which this process has prepared to write. */
  #prepared: { readonly term: number; readonly positions: Map<string, Position> } | undefined
  #hasIndexes = false

  constructor(options: MongoProjectionStoreOptions) {
    const { url, definitions, generation, leaseMs = LEASE_MS, onTrouble } = options
    const base = generationOf(definitions)
    this.#definitions = definitions
    this.#generation = generation ?? base
    this.#isRebuild = this.#generation !== base
    this.#replaces = options.replaces
    this.#leaseMs = leaseMs
    this.#onTrouble = onTrouble ?? (() => {})
    this.#connection = connect({ url, definitions, generation: this.#generation })
    this.#checkpoint = checkpointOf(this.#connection.checkpoints, () => this.#generation)
    this.#lease = seekLease({
      leases: this.#connection.leases,
      ready: this.#connection.ready,
      id: this.#generation,
      holder: newHolder(),
      leaseMs,
      onTaken: () => void this.leading().catch(() => {}), // closed before it began
      onTrouble: this.#onTrouble,
    })
    this.#renames = fanOuts({
      connection: this.#connection,
      definitions,
      inTurn: this.#inTurn,
      reached: () => (this.#isWriting() ? Math.max(0, ...this.#prepared!.positions.values()) : undefined),
      onChange: async () => this.#prepared && (await this.#checkpoint.touch(this.#prepared.term)),
      onTrouble: this.#onTrouble,
    })
    this.#published = publishedStates({
      store: (statuses) => this.#storeStates(statuses),
      term: () => this.#lease.term(),
      onTrouble: this.#onTrouble,
    })
    this.#sweeping = this.#keepSweeping()
  }

  position(projection: string): Promise<Position> {
    return this.#guarded(async () => (await this.#checkpoint.read()).positions.get(projection) ?? 0)
  }

  async apply(work: readonly Work[], position: Position, last?: LastEvent): Promise<void> {
    await this.#inTurn(async () => {
      try {
        await this.#guarded(() => this.#applyInTurn(work, position, last))
      } catch (error) {
        // How far the checkpoint came is not known: the next try reads it again.
        if (error instanceof Unavailable) this.#prepared = undefined
        throw error
      }
    })
    this.#renames.workOff()
  }

  async settled(): Promise<void> {
    const { signal } = this.#closing
    for (;;) {
      await this.#renames.idle()
      // Another process may be working.
      if ((await this.#guarded(() => this.#connection.fanOuts.countDocuments({}))) === 0) return
      await delay(SETTLED_LOOK_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** Does at once what the process before left undone, without waiting for the next event. */
  async leading(): Promise<void> {
    const { signal } = this.#closing
    for (;;) {
      const term = await this.#lease.held()
      try {
        await this.#inTurn(() => this.#guarded(() => this.#prepare(term)))
        return
      } catch (error) {
        if (signal.aborted) throw error
        this.#onTrouble('This process cannot begin to write the projections; it is tried again.', error)
        await delay(this.#leaseMs / 6, undefined, { signal }).catch(() => {})
      }
    }
  }

  isLeading(): boolean {
    return this.#lease.term() !== undefined
  }

  lastEvents(): Promise<readonly LastEvent[]> {
    return this.#guarded(() => lastEventsOf(this.#connection))
  }

  publish(statuses: readonly ProjectionStatus[]): void {
    this.#published.publish(statuses)
  }

  async built(): Promise<void> {
    const { positions } = this.#connection
    await this.#guarded(() => positions.updateOne({ _id: this.#generation }, { $set: { isBuilt: true } }))
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#sweeping)
    await this.#published.close()
    await this.#renames.stop()
    await this.#inTurn(async () => {})
    await this.#lease.close()
    await this.#connection.close()
  }

  #isWriting(): boolean {
    return this.#prepared !== undefined && this.#prepared.term === this.#lease.term()
  }

  /** Inside a turn. */
  async #prepare(term: number) {
    if (this.#prepared?.term === term) return this.#prepared
    this.#prepared = undefined
    const connection = this.#connection
    const how = { isRebuild: this.#isRebuild, replaces: this.#replaces }
    connection.use(await openGeneration(connection, this.#definitions, how))
    if (!this.#hasIndexes)
      for (const definition of this.#definitions.values())
        await ensureIndexes(connection.records(definition.object), indexesOf(definition, this.#definitions))
    this.#hasIndexes = true
    const claimed = { term, positions: new Map(await this.#checkpoint.claim(term)) }
    this.#prepared = claimed
    await this.#renames.resume()
    return claimed
  }

  async #applyInTurn(work: readonly Work[], upTo: Position, last: LastEvent | undefined): Promise<void> {
    const { term, positions } = await this.#prepare(await this.#lease.held(this.#leaseMs / 3))
    const behind = work.filter(({ projection }) => (positions.get(projection) ?? 0) < upTo)
    if (behind.length === 0) return
    for (const one of behind) refuseGap(one, positions.get(one.projection) ?? 0)
    const connection = this.#connection
    const operations = behind
      .flatMap(({ projection, steps }) => placed(steps, positions.get(projection) ?? 0, upTo))
      // What was taken over from another generation shows it already.
      .filter(({ position, operation }) => position > connection.takenOverAt(operation.object))
    for (let tries = 1; ; tries++) {
      const { changed, renamed } = await changesOf({
        connection,
        definitions: this.#definitions,
        operations,
      })
      if (await writeChanges({ connection, changes: changed, onTrouble: this.#onTrouble })) {
        await this.#renames.add(renamed, upTo)
        break
      }
      if (this.#lease.term() !== term || tries === TRIES)
        throw new Unavailable('another process writes the same records')
    }
    const names = behind.map(({ projection }) => projection)
    await this.#checkpoint.move(term, names, upTo, last)
    for (const name of names) positions.set(name, upTo)
  }

  async #storeStates(statuses: readonly ProjectionStatus[]): Promise<void> {
    await this.#guarded(async () => {
      // The process that writes by now has published its own.
      if (this.#lease.term() === undefined) throw new Unavailable('another process writes the projections')
      const _id = this.#generation
      await this.#connection.states.replaceOne({ _id }, { statuses: [...statuses] }, { upsert: true })
    })
  }

  #keepSweeping(): NodeJS.Timeout {
    const others = otherGenerations(this.#connection)
    return setInterval(() => {
      if (!this.#isWriting()) return
      const reached = Math.min(...this.#prepared!.positions.values())
      others
        .sweep(reached)
        .catch((error: unknown) => this.#onTrouble('Old read models cannot be removed for now.', error))
    }, SWEEP_MS).unref()
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw new Unavailable('the projection store is closed')
    try {
      await this.#connection.ready()
      return await work()
    } catch (error) {
      throw asWriteError(error)
    }
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
