/** Follows the events and keeps the tables of analysts: the work of a thread, by whose messages it goes. */
import { messageOf } from '../../../domain/errors.ts'
import type { Definitions } from '../../../domain/definition.ts'
import type { Position } from '../../../domain/events/event.ts'
import type { EventStore } from '../../../ports/event-store.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import { buildBeside } from '../../../projections/build-beside.ts'
import { followEvents, type Follower } from '../../../projections/follow.ts'
import { describeLast, strayOf } from '../../../projections/log-state.ts'
import { WAREHOUSE, warehouseProjection } from '../../../projections/warehouse.ts'
import { openDerived } from '../files/derived.ts'
import { emptyFolder } from './company-files.ts'
import type { FromWarehouse, ToWarehouse } from './messages.ts'
import { sqliteWarehouseStore } from './projection-store.ts'

export interface KeepWarehouseOptions {
  /** Where the companies' files are. */
  readonly folder: string
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read' | 'subscribe' | 'head'>
  readonly say: (message: FromWarehouse) => void
}

export class KeptWarehouse {
  readonly #options: KeepWarehouseOptions
  #store: ReturnType<typeof sqliteWarehouseStore>
  #building: { readonly stop: () => void; position: Position } | undefined
  #statuses: readonly ProjectionStatus[] = []
  #follower: Follower | undefined
  #following: Promise<void> = Promise.resolve()
  #closing = false

  constructor(options: KeepWarehouseOptions) {
    this.#options = options
    this.#store = openDerived(
      options.folder,
      () => this.#openStore(),
      (aside, error) =>
        this.#trouble(`the warehouse is damaged and is rebuilt; it was put aside as ${aside}`, error),
    )
  }

  async start(): Promise<void> {
    this.#options.say({ kind: 'open', catalogue: this.#store.catalogue })
    this.#following = this.#follow()
    await this.#following
    if (this.#store.isOutdated && !this.#closing) void this.#tryRebuild()
  }

  /** What the main thread wants of it, but for what is about its thread. */
  take(message: Exclude<ToWarehouse, { kind: 'grown' | 'close' }>): void {
    if (message.kind === 'ensure') this.#ensure(message.company, message.request)
    else if (message.kind === 'rebuild') void this.#tryRebuild()
    else this.#follower?.resume(WAREHOUSE)
  }

  /** @param closeEvents ends what is followed */
  async close(closeEvents: () => Promise<void>): Promise<void> {
    this.#closing = true
    this.#building?.stop()
    await this.#following
    await this.#follower?.stop()
    await closeEvents()
    await this.#store.close()
  }

  #trouble = (message: string, error: unknown) =>
    this.#options.say({ kind: 'trouble', message, detail: messageOf(error) })

  #openStore() {
    const { folder, definitions, say } = this.#options
    return sqliteWarehouseStore({
      folder,
      definitions,
      now: () => Date.now(),
      onFsyncFailure: (message) => say({ kind: 'fatal', message: `the disk refused an fsync: ${message}` }),
    })
  }

  #report(current = this.#statuses) {
    this.#statuses = current
    const building = this.#building
    const shown = current.map((status) =>
      building
        ? {
            ...status,
            state: 'rebuilding' as const,
            rebuilding: { position: building.position, of: status.position },
          }
        : status,
    )
    this.#options.say({ kind: 'projected', statuses: shown })
  }

  /** Begins again where the warehouse is not of the log that is followed. */
  async #leaveOtherLog() {
    const { events, folder } = this.#options
    const last = this.#store.lastEvent()
    const stray = await strayOf(events, last ? [last] : [], () => this.#closing)
    if (!stray || this.#closing) return
    this.#trouble('the warehouse is of another log, and is rebuilt', describeLast(stray))
    await this.#store.close()
    emptyFolder(folder)
    this.#store = this.#openStore()
  }

  async #follow() {
    await this.#leaveOtherLog()
    if (this.#closing) return
    this.#follower = await followEvents({
      events: this.#options.events,
      store: this.#store,
      projections: [warehouseProjection(this.#options.definitions)],
      onStatus: (statuses) => this.#report(statuses),
      onTrouble: this.#trouble,
    })
  }

  /** Builds beside, and takes over once it has come as far as what is there. */
  async #rebuild() {
    if (this.#building) throw new Error('the warehouse is being rebuilt already')
    const stopping = new AbortController()
    const building = { position: 0, stop: () => stopping.abort() }
    this.#building = building
    this.#report()
    try {
      await buildBeside({
        events: this.#options.events,
        projection: warehouseProjection(this.#options.definitions),
        beside: this.#store.beside(),
        served: () => this.#follower?.status()[0]?.position ?? 0,
        onProgress: (position) => {
          building.position = position
          this.#report()
        },
        onTrouble: this.#trouble,
        signal: stopping.signal,
      })
      // What it was parked for may be gone with what was there.
      this.#follower?.resume(WAREHOUSE)
    } finally {
      this.#building = undefined
      this.#report()
    }
  }

  #tryRebuild() {
    return this.#rebuild().catch((error: unknown) => this.#trouble('the warehouse cannot be rebuilt', error))
  }

  #ensure(company: string, request: number) {
    const { say } = this.#options
    try {
      this.#store.ensure(company)
      say({ kind: 'done', request })
    } catch (error) {
      say({ kind: 'done', request, error: messageOf(error) })
    }
  }
}
