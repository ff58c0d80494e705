/**
 * The read models on MongoDB as the process with the role `projections` keeps them: it writes whenever it holds the
 * lease, and does what operators ask: resume, and rebuild beside what is served (blue/green).
 */
import { setTimeout as delay } from 'node:timers/promises'
import { generationOf } from '../read-models/generation-of.ts'
import { projectionOrders, type ProjectionOrders } from '../read-models/projection-control.ts'
import { mongoProjectionStore, type MongoProjectionStore } from '../read-models/projection-store.ts'
import { GRACE_MS, rebuildOf } from '../read-models/serving.ts'
import type { Log } from '../../../ports/log.ts'
import { keepLooking } from '../../../projections/keep-looking.ts'
import { pacedProgress } from '../../../projections/paced-progress.ts'
import { leftOtherLog } from './other-log.ts'
import { positionOf, reachedBy, type Side } from './side.ts'
import type { Definitions } from '../../../domain/definition.ts'
import type { Position } from '../../../domain/events/event.ts'
import type { EventStore } from '../../../ports/event-store.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import { followEvents } from '../../../projections/follow.ts'
import { readModelProjections } from '../../../projections/read-model-projections.ts'

export interface MongoProjectionsOptions {
  readonly url: string
  /** Of all objects, those that the service keeps for itself as well. */
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'head' | 'read' | 'subscribe'>
  readonly log: Pick<Log, 'error'>
  readonly now: () => number
}

interface KeeperOptions extends MongoProjectionsOptions {
  readonly orders: ProjectionOrders
  /** `replaces`: the generation of another log, in whose place it is. */
  readonly openStore: (generation: string, replaces?: string) => Promise<MongoProjectionStore>
  /** A name for a rebuild. */
  readonly nextGeneration: () => string
  /** How long the generation that was served before is kept up to date. */
  readonly graceMs: number
}

const LOOK_MS = 1_000
/** A rebuild that lags behind by less is served next: reads stand still for so long at most. */
const NEAR_MS = 1_000
/** What a process that has a part cannot handle is left to the one that leads. */
const STAND_BACK_MS = 30_000

/** Returns what ends it. */
export function keepMongoReadModels(options: MongoProjectionsOptions): () => Promise<void> {
  const { url, definitions, log, now } = options
  const base = generationOf(definitions)
  const onTrouble = (message: string, error: unknown) => log.error({ err: error }, message)
  const keeper = new Keeper({
    ...options,
    orders: projectionOrders({ url, definitions }),
    openStore: (generation, replaces) =>
      mongoProjectionStore({ url, definitions, generation, ...(replaces && { replaces }), onTrouble }),
    nextGeneration: () => rebuildOf(base, now()),
    graceMs: GRACE_MS,
  })
  return keeper.start()
}

class Keeper {
  readonly #options: KeeperOptions
  readonly #stopping = new AbortController()
  readonly #open = new Set<Side>()
  /** Undefined until the server has said which it is. */
  #serving: Side | undefined
  #rebuilding: ProjectionStatus['rebuilding']

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  start(): () => Promise<void> {
    const { orders } = this.#options
    const { signal } = this.#stopping
    const watching = keepLooking({
      look: () => this.#look(),
      onAway: (error) => this.#onTrouble('Orders for the projections cannot be read for now.', error),
      everyMs: LOOK_MS,
      signal,
    })
    return async () => {
      this.#stopping.abort()
      await watching
      await Promise.all([...this.#open].map((side) => this.#closeSide(side)))
      await orders.close()
    }
  }

  #onTrouble = (message: string, error: unknown) => this.#options.log.error({ err: error }, message)

  /** What readers see is always that of the side that is served, whichever it was opened for. */
  #publish() {
    const rebuilding = this.#rebuilding
    const { statuses = [], store } = this.#serving ?? {}
    const shown = statuses.map((status): ProjectionStatus =>
      rebuilding
        ? { ...status, state: status.state === 'live' ? 'rebuilding' : status.state, rebuilding }
        : status,
    )
    if (shown.length > 0) store?.publish(shown)
  }

  async #openSide(generation: string): Promise<Side> {
    const store = await this.#options.openStore(generation)
    const side: Side = { generation, store, statuses: [], onStatus: () => {} }
    this.#open.add(side)
    return side
  }

  /** Follows the events into the side once this process may write it. */
  async #lead(side: Side) {
    const { events, definitions } = this.#options
    await side.store.leading()
    if (side === this.#serving && !(await this.#isToBeFollowed(side))) return
    const builtAt = await events.head()
    if (this.#stopping.signal.aborted || !this.#open.has(side)) return
    side.builtAt = builtAt
    side.follower = await followEvents({
      events,
      store: side.store,
      projections: readModelProjections(definitions),
      onStatus: (statuses) => {
        side.statuses = statuses
        side.onStatus()
        this.#markBuilt(side)
        if (side === this.#serving) this.#publish()
      },
      onTrouble: this.#onTrouble,
    })
  }

  /** False for a side that is not served any more, or must not be: `#look` changes over to the one that is. */
  async #isToBeFollowed(side: Side): Promise<boolean> {
    // The process that wrote before may have changed over.
    if ((await this.#options.orders.serving()) !== side.generation) return false
    const isClosing = () => this.#stopping.signal.aborted || !this.#open.has(side)
    // Where it has a part only, the process that leads has looked.
    if (!side.store.isLeading()) return true
    return !(await leftOtherLog(side, { ...this.#options, onTrouble: this.#onTrouble, isClosing }))
  }

  #markBuilt(side: Side) {
    const { builtAt } = side
    if (builtAt === undefined || positionOf(side) < builtAt) return
    side.builtAt = undefined
    const again = () => void (side.builtAt = builtAt) // with the next event
    side.store
      .built(builtAt)
      .then((isBuilt) => isBuilt || again())
      .catch((error: unknown) => {
        again()
        this.#onTrouble('It cannot be stored that the read models are built.', error)
      })
  }

  async #closeSide(side: Side) {
    this.#open.delete(side)
    await side.follower?.stop()
    await side.store.close()
  }

  /** Leads in the background; the server may be away for a while. */
  #goOn(side: Side) {
    const { signal } = this.#stopping
    const goOn = async () => {
      while (this.#open.has(side) && !signal.aborted)
        try {
          return await this.#lead(side)
        } catch (error) {
          if (!this.#open.has(side) || signal.aborted) return
          this.#onTrouble('The projections cannot start; it is tried again.', error)
          await delay(LOOK_MS, undefined, { signal, ref: false }).catch(() => {})
        }
    }
    void goOn()
  }

  #serve(side: Side) {
    this.#serving = side
    side.store.share(() => side.follower?.again())
    this.#goOn(side)
  }

  /** What is parked is for the process that leads: it shows it, and is asked to resume. */
  async #standBack(side: Side) {
    await side.store.standBack(STAND_BACK_MS)
    const { follower } = side
    delete side.follower
    await follower?.stop()
    this.#goOn(side)
  }

  async #rebuild() {
    const { events, nextGeneration, graceMs } = this.#options
    const { signal } = this.#stopping
    const before = this.#serving!
    let side: Side | undefined
    try {
      const target = await events.head()
      this.#setRebuilding({ position: 0, of: target })
      side = await this.#openSide(nextGeneration())
      // Two generations are enough to write: nobody else has a part meanwhile.
      await before.store.alone()
      const built = side
      await this.#build(before, side, target)
      this.#setRebuilding(undefined)
      side.onStatus = () => {}
      this.#serving = side
      side.store.share(() => built.follower?.again())
      this.#publish()
      void delay(graceMs, undefined, { signal, ref: false })
        .then(() => this.#closeSide(before))
        .catch(() => {})
    } catch (error) {
      if (side) await this.#closeSide(side)
      if (!signal.aborted)
        this.#onTrouble('The read models could not be rebuilt; the ones before are still served.', error)
      this.#setRebuilding(undefined)
      before.store.share(() => before.follower?.again())
    }
  }

  #setRebuilding(rebuilding: ProjectionStatus['rebuilding']) {
    this.#rebuilding = rebuilding
    this.#publish()
  }

  /** Resolves when the new side is whole and every process has been asked to read it. */
  async #build(before: Side, side: Side, of: Position) {
    const { signal } = this.#stopping
    const progress = pacedProgress((position) => this.#setRebuilding({ position, of }))
    side.onStatus = () => progress(positionOf(side))
    await this.#lead(side)
    // While others write, both move on, and the new side may stay a step behind for ever.
    for (let isNear = false; !isNear;) {
      const began = performance.now()
      await reachedBy(side, positionOf(before), progress, signal)
      await side.store.settled()
      isNear = performance.now() - began < NEAR_MS
    }
    // From here until it has the last of the old one's events, writes wait to be seen.
    await before.follower?.stop()
    try {
      await reachedBy(side, positionOf(before), progress, signal)
      await side.store.settled()
      await this.#options.orders.serve(side.generation)
    } finally {
      // Processes that have not looked yet still read the old one.
      this.#goOn(before)
    }
  }

  /** Changes over where another process has; takes orders where this one writes. */
  async #look() {
    const { orders } = this.#options
    const before = this.#serving
    if (!this.#rebuilding) {
      const generation = await orders.serving()
      // A rebuild may have come to its end meanwhile.
      if (this.#rebuilding || this.#serving !== before) return
      if (generation !== before?.generation) return await this.#changeTo(generation)
    }
    if (!before?.follower) return
    if (!before.store.isLeading()) {
      if (before.statuses.some(({ state }) => state === 'parked')) await this.#standBack(before)
      return
    }
    // It may have had a part before, and said nothing.
    this.#publish()
    const order = await orders.take()
    if (order?.command === 'resume') before.follower.resume(order.projection)
    if (order?.command === 'rebuild' && !this.#rebuilding) void this.#rebuild()
  }

  async #changeTo(generation: string) {
    const before = this.#serving
    this.#serve(await this.#openSide(generation))
    if (before) await this.#closeSide(before)
  }
}
