/** Follows the events and writes the warehouse to PostgreSQL, whenever that can be reached: the work of a thread. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Definitions } from '../../../domain/definition.ts'
import { Unavailable } from '../../../domain/errors.ts'
import type { EventStore } from '../../../ports/event-store.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import { buildBeside } from '../../../projections/build-beside.ts'
import { followEvents, type Follower } from '../../../projections/follow.ts'
import { keepLooking } from '../../../projections/keep-looking.ts'
import { describeLast, strayOf } from '../../../projections/log-state.ts'
import { pacedProgress } from '../../../projections/paced-progress.ts'
import { standingStill } from '../../../projections/standing-still.ts'
import { WAREHOUSE, warehouseProjection } from '../../../projections/warehouse.ts'
import { postgresOrders } from '../warehouse/control.ts'
import { OtherDefinitions } from '../warehouse/own-catalogue.ts'
import { postgresWarehouseStore } from '../warehouse/projection-store.ts'

export interface PostgresWarehouseOptions {
  readonly url: string
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'head' | 'read' | 'subscribe'>
  /** Worth a line in the log. */
  readonly onTrouble: (message: string, error: unknown) => void
  /** Whether a process with other definitions writes in its place. */
  readonly onSuperseded: (superseded: boolean) => void
}

const LOOK_MS = 1_000
/** Looks in a row that show another process's rebuild where it was before it counts as dead. */
const STILL_LOOKS = 30
const RETRY_MS = 500

/** Returns what ends it. */
export function keepPostgresWarehouse(options: PostgresWarehouseOptions): () => Promise<void> {
  return new Keeper(options).start()
}

class Keeper {
  readonly #events: PostgresWarehouseOptions['events']
  readonly #onTrouble: PostgresWarehouseOptions['onTrouble']
  readonly #onSuperseded: PostgresWarehouseOptions['onSuperseded']
  readonly #projection: ReturnType<typeof warehouseProjection>
  readonly #store: ReturnType<typeof postgresWarehouseStore>
  readonly #orders: ReturnType<typeof postgresOrders>
  readonly #stopping = new AbortController()
  readonly #isLeft = standingStill(STILL_LOOKS)
  #follower: Follower | undefined
  #rebuilding: ProjectionStatus['rebuilding']
  #building: Promise<void> | undefined
  #isSuperseded = false

  constructor({ url, definitions, events, onTrouble, onSuperseded }: PostgresWarehouseOptions) {
    this.#events = events
    this.#onTrouble = onTrouble
    this.#onSuperseded = onSuperseded
    this.#projection = warehouseProjection(definitions)
    this.#store = postgresWarehouseStore({ url, definitions, now: Date.now, onTrouble })
    this.#orders = postgresOrders(url)
  }

  start(): () => Promise<void> {
    const watching = keepLooking({
      look: () => this.#look(),
      onAway: (error) => this.#onTrouble('orders for the warehouse cannot be read', error),
      everyMs: LOOK_MS,
      signal: this.#stopping.signal,
    })
    const following = this.#followOn()
    return async () => {
      this.#stopping.abort()
      await following
      await watching
      await this.#building
      await this.#follower?.stop()
      await this.#orders.close()
      await this.#store.close()
    }
  }

  #publish() {
    // The process that writes says how it stands.
    if (this.#isSuperseded) return
    const rebuilding = this.#rebuilding
    const shown = (this.#follower?.status() ?? []).map((status): ProjectionStatus =>
      rebuilding ? { ...status, state: 'rebuilding', rebuilding } : status,
    )
    if (shown.length > 0)
      this.#orders
        .publish(shown)
        .catch((error: unknown) => this.#onTrouble('the state of the warehouse cannot be published', error))
  }

  /** Until the server answers: it may come up after this process. */
  async #reached<T>(work: () => Promise<T>): Promise<T | undefined> {
    const { signal } = this.#stopping
    for (let isTold = false; !signal.aborted;)
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof Unavailable) && !isTold)
          this.#onTrouble('the warehouse cannot be prepared', error)
        else if (!isTold) this.#onTrouble('waiting for the warehouse', error)
        isTold = true
        await delay(RETRY_MS, undefined, { signal }).catch(() => {})
      }
    return undefined
  }

  async #rebuild() {
    const { signal } = this.#stopping
    try {
      const of = await this.#events.head()
      const progress = pacedProgress((position) => {
        this.#rebuilding = { position, of }
        this.#publish()
      })
      progress(0)
      await buildBeside({
        events: this.#events,
        projection: this.#projection,
        beside: this.#store.beside(),
        served: () => this.#follower?.status()[0]?.position ?? 0,
        onProgress: progress,
        onTrouble: this.#onTrouble,
        signal,
      })
      // What it was parked for may be gone with what was there.
      this.#follower?.resume(WAREHOUSE)
    } catch (error) {
      if (!signal.aborted) this.#onTrouble('the warehouse cannot be rebuilt; what was there is served', error)
    } finally {
      this.#rebuilding = undefined
      if (!signal.aborted) this.#publish()
    }
  }

  #startRebuild() {
    this.#building ??= this.#rebuild().finally(() => (this.#building = undefined))
  }

  async #follow() {
    const { signal } = this.#stopping
    const isOutdated = await this.#reached(() => this.#store.isOutdated())
    const last = await this.#reached(() => this.#store.lastEvent())
    const stray = await strayOf(this.#events, last ? [last] : [], () => signal.aborted)
    if (stray && !signal.aborted) {
      this.#onTrouble('the warehouse is of another log, and is written again', describeLast(stray))
      await this.#reached(() => this.#store.clear(stray))
    }
    if (signal.aborted) return
    this.#follower = await followEvents({
      events: this.#events,
      store: this.#store,
      projections: [this.#projection],
      onStatus: () => this.#publish(),
      // It is said once, when it is seen.
      onTrouble: (message, error) => error instanceof OtherDefinitions || this.#onTrouble(message, error),
    })
    this.#publish()
    if (isOutdated) this.#startRebuild()
  }

  async #followOn() {
    const { signal } = this.#stopping
    while (!signal.aborted && !this.#follower)
      try {
        await this.#follow()
      } catch (error) {
        this.#onTrouble('the warehouse cannot be written for now', error)
        await delay(RETRY_MS, undefined, { signal }).catch(() => {})
      }
  }

  /** Where another process was resumed, and has passed what stopped this one. */
  async #passedBy(): Promise<boolean> {
    const error = this.#follower?.status()[0]?.error
    return error !== undefined && (await this.#store.position(WAREHOUSE)) >= error.position
  }

  /** A rebuild whose process died is begun again. One that is only slow finds that out, and gives up. */
  async #takeOver() {
    const begun = this.#building ? undefined : await this.#store.begunRebuild()
    if (begun === undefined || !this.#isLeft(begun)) return
    this.#onTrouble(
      'a rebuild of the warehouse was left by the process that began it, and begins again',
      begun,
    )
    this.#startRebuild()
  }

  /** It is noticed without an event to write as well. */
  async #lookForOthers() {
    const before = this.#isSuperseded
    this.#isSuperseded = await this.#store.isSuperseded()
    if (this.#isSuperseded === before) return
    this.#onSuperseded(this.#isSuperseded)
    if (this.#isSuperseded)
      this.#onTrouble('this process writes the warehouse no more', new OtherDefinitions())
    this.#publish()
  }

  async #look() {
    if (this.#follower) await this.#lookForOthers()
    // What it did would be by its own definitions.
    if (this.#isSuperseded) return
    if (this.#follower) await this.#takeOver()
    if (await this.#passedBy()) this.#follower!.resume(WAREHOUSE)
    const order = this.#follower && (await this.#orders.take())
    if (order?.command === 'resume') this.#follower!.resume(order.projection)
    if (order?.command === 'rebuild') this.#startRebuild()
  }
}
