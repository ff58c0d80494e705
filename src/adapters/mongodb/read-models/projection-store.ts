/**
 * The read models as the projections write them.
 *
 * The process that holds the lease of a generation writes it (`lease.ts`), with those to which it gives shards of companies
 * (`../sharing/`). Any number may be open; `leading` resolves when it is a process's turn, within 10 s after the one before
 * it died, at once when that one was closed. A process that wrote and may not any more gets Unavailable from `apply`; it may
 * simply try again, as steps that another has applied are passed over.
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
  type Work,
} from '../../../ports/projection-store.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import { checkpointOf, type Checkpoint } from '../checkpoint.ts'
import { connect, type Connection } from '../connection.ts'
import { asWriteError } from '../domain-errors.ts'
import { fanOuts, type FanOuts } from './fan-outs.ts'
import { generationOf } from './generation-of.ts'
import { lastEventsOf, openGeneration } from './generations.ts'
import { ensureIndexes, indexesOf } from './indexes.ts'
import { keepSweeping } from './keep-sweeping.ts'
import { LEASE_MS } from '../lease.ts'
import { oneAtATime } from '../one-at-a-time.ts'
import { Turns } from '../sharing/turns.ts'
import { publishedStates, type PublishedStates } from './published-states.ts'
import { placed } from './placed-steps.ts'
import { writeOperations } from './write-operations.ts'

export interface MongoProjectionStore extends ProjectionStore {
  /** Resolves once this process is the one that writes; rejects with Unavailable when the store is closed before. */
  leading(): Promise<void>
  /** Whether this process holds the lease, as far as it can be sure. */
  isLeading(): boolean
  /**
   * Takes part from now on, and gives parts to others that do while it leads. `onTurn` is called when what this process
   * writes has become other: it may have gone back, and who follows has to look at `position` again.
   */
  share(onTurn: () => void): void
  /** Takes no part for so long: others do the work. */
  standBack(ms: number): Promise<void>
  /** Takes back what it gave to others, and gives nothing until `share` is called again. @throws Unavailable */
  alone(): Promise<void>
  /** The last events that the read models cover, those of the generations that they share collections with included. */
  lastEvents(): Promise<readonly LastEvent[]>
  /**
   * Shows every reader how the projections stand: what `ReadModels.status` answers beside the positions. In the
   * background, until it is stored.
   */
  publish(statuses: readonly ProjectionStatus[]): void
  /**
   * Says that the read models have once shown everything up to there: from then on they may be served as they are. False
   * when others have not come as far yet.
   */
  built(upTo: Position): Promise<boolean>
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

const SETTLED_LOOK_MS = 20

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
  readonly #turns: Turns
  readonly #renames: FanOuts
  readonly #published: PublishedStates
  readonly #sweeping: NodeJS.Timeout
  readonly #inTurn = oneAtATime()
  readonly #closing = new AbortController()
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
    this.#checkpoint = checkpointOf(
      this.#connection.checkpoints,
      () => this.#generation,
      this.#connection.shares,
    )
    this.#turns = new Turns({
      connection: this.#connection,
      generation: this.#generation,
      checkpoint: this.#checkpoint,
      leaseMs,
      inTurn: this.#inTurn,
      guarded: (work) => this.#guarded(work),
      begin: (isLeader) => this.#begin(isLeader),
      begun: () => this.#renames.resume(),
      onTaken: () => void this.leading().catch(() => {}), // closed before it began
      onTrouble: this.#onTrouble,
    })
    this.#renames = fanOuts({
      connection: this.#connection,
      definitions,
      inTurn: this.#inTurn,
      reached: () => {
        const turn = this.#turns.current()
        return turn && Math.max(0, ...turn.positions.values())
      },
      has: (company) => this.#turns.current()?.has(company) ?? false,
      onChange: async () => this.#turns.current()?.touch(),
      onTrouble: this.#onTrouble,
    })
    this.#published = publishedStates({
      store: (statuses) => this.#storeStates(statuses),
      term: () => this.#turns.term(),
      onTrouble: this.#onTrouble,
    })
    this.#sweeping = keepSweeping({
      connection: this.#connection,
      checkpoint: this.#checkpoint,
      isLeading: () => this.#turns.current()?.term !== undefined,
      onTrouble: this.#onTrouble,
    })
  }

  position(projection: string): Promise<Position> {
    return this.#guarded(async () => {
      if (!this.isLeading() && !this.#turns.isHelping())
        return (await this.#checkpoint.read()).positions.get(projection) ?? 0
      const { positions } = await this.#inTurn(() => this.#guarded(() => this.#turns.prepare()))
      return positions.get(projection) ?? 0
    })
  }

  async apply(work: readonly Work[], position: Position, last?: LastEvent): Promise<void> {
    await this.#inTurn(async () => {
      try {
        await this.#guarded(() => this.#applyInTurn(work, position, last))
      } catch (error) {
        // How far the checkpoint came is not known: the next try reads it again.
        if (error instanceof Unavailable) this.#turns.forget()
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
      await this.#turns.mine()
      try {
        await this.#inTurn(() => this.#guarded(() => this.#turns.prepare()))
        return
      } catch (error) {
        if (signal.aborted) throw error
        this.#onTrouble('This process cannot begin to write the projections; it is tried again.', error)
        await delay(this.#leaseMs / 6, undefined, { signal }).catch(() => {})
      }
    }
  }

  isLeading(): boolean {
    return this.#turns.term() !== undefined
  }

  lastEvents(): Promise<readonly LastEvent[]> {
    return this.#guarded(() => lastEventsOf(this.#connection))
  }

  publish(statuses: readonly ProjectionStatus[]): void {
    this.#turns.isParked = statuses.some(({ state }) => state === 'parked')
    // The process that holds the lease says how they stand.
    if (!this.#turns.isHelping()) this.#published.publish(statuses)
  }

  built(upTo: Position): Promise<boolean> {
    const { positions } = this.#connection
    return this.#guarded(async () => {
      const reached = (await this.#checkpoint.read()).positions
      if ([...reached.values()].some((position) => position < upTo)) return false
      await positions.updateOne({ _id: this.#generation }, { $set: { isBuilt: true } })
      return true
    })
  }

  share(onTurn: () => void): void {
    this.#turns.share(onTurn)
  }

  standBack(ms: number): Promise<void> {
    return this.#turns.standBack(ms)
  }

  alone(): Promise<void> {
    return this.#turns.alone()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearInterval(this.#sweeping)
    await this.#published.close()
    await this.#renames.stop()
    await this.#inTurn(async () => {})
    await this.#turns.close()
    await this.#connection.close()
  }

  async #begin(isLeader: boolean): Promise<void> {
    const connection = this.#connection
    const how = { isRebuild: this.#isRebuild, replaces: this.#replaces }
    connection.use(await openGeneration(connection, this.#definitions, how))
    if (!isLeader || this.#hasIndexes) return
    for (const definition of this.#definitions.values())
      await ensureIndexes(connection.records(definition.object), indexesOf(definition, this.#definitions))
    this.#hasIndexes = true
  }

  async #applyInTurn(work: readonly Work[], upTo: Position, last: LastEvent | undefined): Promise<void> {
    const turn = await this.#turns.prepare()
    const { positions } = turn
    const behind = work.filter(({ projection }) => (positions.get(projection) ?? 0) < upTo)
    if (behind.length === 0) return
    for (const one of behind) refuseGap(one, positions.get(one.projection) ?? 0)
    const connection = this.#connection
    const operations = behind
      .flatMap(({ projection, steps }) => placed(steps, positions.get(projection) ?? 0, upTo))
      .filter(({ operation }) => turn.has(operation.company))
      // What was taken over from another generation shows it already.
      .filter(({ position, operation }) => position > connection.takenOverAt(operation.object))
    const isMine = () => this.#turns.current() === turn
    const how = { connection, definitions: this.#definitions, onTrouble: this.#onTrouble, isMine }
    await this.#renames.add(await writeOperations(operations, how), upTo)
    const names = behind.map(({ projection }) => projection)
    await turn.move(names, upTo, last)
    for (const name of names) positions.set(name, upTo)
  }

  async #storeStates(statuses: readonly ProjectionStatus[]): Promise<void> {
    await this.#guarded(async () => {
      // The process that writes by now has published its own.
      if (!this.isLeading()) throw new Unavailable('another process writes the projections')
      const _id = this.#generation
      await this.#connection.states.replaceOne({ _id }, { statuses: [...statuses] }, { upsert: true })
    })
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
