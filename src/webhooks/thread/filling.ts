/** Follows the events and fills the outbox; of several processes at one outbox, the one that leads. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Definitions } from '../../domain/definition.ts'
import type { Company, Position } from '../../domain/events/event.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { Endpoint, Outbox } from '../../ports/outbox.ts'
import type { ParkedError, ProjectionStatus } from '../../ports/read-models.ts'
import { followEvents, type Follower } from '../../projections/follow.ts'
import { fillOutbox, WEBHOOKS_PROJECTION, webhooksProjection } from '../fill-outbox.ts'
import { markedUpTo } from '../marks.ts'
import type { Relay } from '../relay.ts'
import type { AfterRestore } from './after-restore.ts'

export interface FillingOptions {
  /** Of the objects whose events are sent. */
  readonly definitions: Definitions
  /** Of those that the service keeps for itself, too. */
  readonly all: Definitions
  readonly events: Pick<EventStore, 'head' | 'read' | 'subscribe'>
  readonly outbox: Outbox
  /** Other processes fill the outbox in turn. */
  readonly isShared: boolean
  readonly restored: AfterRestore
  readonly filled: Relay['filled']
  readonly disable: (endpoint: Endpoint, reason: string) => Promise<void>
  readonly onTrouble: (message: string, error: unknown) => void
}

const RETRY_MS = 1_000

export class Filling {
  readonly #options: FillingOptions
  readonly #following: Promise<void>
  #follower: Follower | undefined
  #stopping = false
  /** Other processes are notified whether the projection is parked; what could not be stored is stored with the next sweep. */
  #shownError: ParkedError | undefined | null = null
  #wantedError: ParkedError | undefined

  constructor(options: FillingOptions) {
    this.#options = options
    this.#following = this.#followOn()
  }

  async status(): Promise<readonly ProjectionStatus[]> {
    const { outbox } = this.#options
    const name = WEBHOOKS_PROJECTION
    const error = await this.#heldError()
    if (error) return [{ name, position: error.position, state: 'parked', error }]
    if (this.#follower && outbox.leads()) return this.#follower.status()
    const shown = await outbox.control?.shown()
    const status = shown ?? ({ position: await outbox.position(), state: 'live' } as const)
    return [{ name, ...status }]
  }

  async resume(): Promise<void> {
    const { outbox } = this.#options
    if (this.#follower && outbox.leads()) this.#follower.resume(WEBHOOKS_PROJECTION)
    else await outbox.control?.askToResume()
  }

  /** What other processes see and ask for, looked after from time to time. */
  async upkeep(): Promise<void> {
    const { outbox } = this.#options
    if (!this.#follower || !outbox.leads()) return
    await this.#storeShown()
    if (await outbox.control?.isAskedToResume()) this.#follower.resume(WEBHOOKS_PROJECTION)
  }

  /** Nothing is begun again from now on. */
  stopping(): void {
    this.#stopping = true
  }

  /** @param closeOutbox one that waits for its turn to fill hears of the end by this */
  async stop(closeOutbox: () => Promise<void>): Promise<void> {
    this.#stopping = true
    await this.#follower?.stop()
    await closeOutbox()
    await this.#following
  }

  /** Tries again until it works, or the thread is stopped. */
  async #followOn() {
    while (!this.#stopping)
      try {
        return await this.#follow()
      } catch (error) {
        if (this.#stopping) return
        this.#options.onTrouble('webhooks cannot be followed for now', error)
        await delay(RETRY_MS)
      }
  }

  async #follow() {
    const { definitions, all, events, outbox, isShared, restored, filled, disable, onTrouble } = this.#options
    await outbox.leading()
    await outbox.open()
    if (isShared) await restored.begin()
    const error = await this.#heldError()
    if (error) await outbox.control?.show(error)
    if (this.#stopping || error) return
    const delivered = async (company: Company, endpoint: string): Promise<Position> =>
      Math.max(restored.skipped(), await markedUpTo(events, company, endpoint))
    this.#follower = await followEvents({
      events,
      store: restored.following(
        fillOutbox({ definitions, events, outbox, delivered, onFilled: filled, disable, onTrouble }),
      ),
      projections: [webhooksProjection(all)],
      onStatus: ([status]) => this.#show(status),
      onTrouble,
    })
  }

  async #heldError(): Promise<ParkedError | undefined> {
    const held = this.#options.restored.held()
    if (held === undefined) return undefined
    return { position: await this.#options.outbox.position(), message: held, isPublic: true }
  }

  #show(status: ProjectionStatus | undefined) {
    this.#wantedError = status?.error
    void this.#storeShown().catch(() => {})
  }

  async #storeShown() {
    const { control } = this.#options.outbox
    const [wanted, shown] = [this.#wantedError, this.#shownError]
    if (!control || !this.#follower || (shown?.message === wanted?.message && shown !== null)) return
    await control.show(wanted)
    this.#shownError = wanted
  }
}
