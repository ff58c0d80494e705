/**
 * The projection that fills the outbox: each event that endpoints subscribed to becomes one delivery for each of them,
 * stored together with the position. Subscriptions are learned from the same events, so a subscription begins exactly
 * after the event that made it, also in an outbox that was lost and is filled again.
 */
import { hash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import type { Definitions } from '../domain/definition.ts'
import type { Company, Position, RecordedEvent } from '../domain/events/event.ts'
import { unpacked } from '../domain/events/packs.ts'
import { requireUnderstood } from '../domain/events/upcast.ts'
import { secondsOf } from '../domain/fields/dates.ts'
import { objectOfKey } from '../domain/records/key.ts'
import type { Message } from '../ports/delivery-log.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Endpoint, Filling, OutboxChange } from '../ports/outbox.ts'
import type { ProjectionStore } from '../ports/projection-store.ts'
import { DISABLED } from './event-names.ts'
import { bodyOf, deliveryOf, messageId, messagesOf, type SendTo } from './messages.ts'
import { WEBHOOK } from './objects.ts'
import { statesAsOf, type StatesAsOf } from './states-as-of.ts'
import { subscribers, type Subscribers } from './subscribers.ts'
import { endpointOf } from './subscriptions.ts'
import { dueBy } from './targets.ts'

export interface FillOutboxOptions {
  /** Of the objects whose events are sent. */
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read'>
  readonly outbox: Pick<Filling, 'endpoints' | 'store' | 'position'>
  /** Up to where everything was delivered to the endpoint, as the events say; 0: they do not say. */
  readonly delivered: (company: Company, endpoint: string) => Promise<Position>
  /** Called with the endpoints for which there is something new. */
  readonly onFilled: (endpoints: readonly Endpoint[]) => void
  /** Switches off an endpoint that cannot be filled for. */
  readonly disable: (endpoint: Endpoint, reason: string) => Promise<void>
  readonly onTrouble: (message: string, error: unknown) => void
}

/** Deliveries stored together: some milliseconds. */
const PIECE = 500

export const WEBHOOKS_PROJECTION = 'webhooks'

/** Readings of the audit: no record's events, whatever their streams are called. */
const READINGS = 'audit'

/**
 * What is to be followed: every event of a record, in order.
 * @param all of the objects whose events are sent, and of those that the service keeps for itself
 */
export function webhooksProjection(all: Definitions) {
  return {
    name: WEBHOOKS_PROJECTION,
    needs: [],
    /** @throws Error for an event of an object that this process does not know: to pass it over would be to lose it */
    project: (event: RecordedEvent): readonly RecordedEvent[] => {
      const object = objectOfKey(event.stream)
      if (object === undefined || object === READINGS) return []
      requireUnderstood(event)
      if (!all.has(object))
        throw new Error(`this process has no definition of ${object}: give it the definitions of the others`)
      return unpacked(event)
    },
  }
}

/** The place that the projection writes to. */
export function fillOutbox(options: FillOutboxOptions): ProjectionStore<RecordedEvent> {
  const fill = new Fill(options)
  return {
    position: () => fill.position(),
    async apply(work, position) {
      try {
        await fill.fill(
          work.flatMap(({ steps }) => steps.flatMap(({ operations }) => operations)),
          position,
        )
      } catch (error) {
        fill.forget()
        throw error
      }
    },
    settled: async () => {},
    close: async () => {},
  }
}

class Fill {
  readonly #options: FillOutboxOptions
  readonly #states: StatesAsOf
  readonly #messageFor: SendTo
  #endpoints: Subscribers | undefined
  /** Up to here what is remembered has been kept in step with the events. */
  #followed: Position | undefined
  /** Endpoints that are being switched off. */
  readonly #disabling = new Set<string>()

  constructor(options: FillOutboxOptions) {
    this.#options = options
    this.#states = statesAsOf(options.events)
    this.#messageFor = messagesOf({ definitions: options.definitions, states: this.#states })
  }

  async position(): Promise<Position> {
    const position = await this.#options.outbox.position()
    // Another process has filled the outbox meanwhile: what it passed over did not come by here.
    if (position !== this.#followed) this.forget()
    this.#followed = position
    return position
  }

  /** What was remembered is learned again, from where the outbox stands. */
  forget(): void {
    this.#endpoints = undefined
    this.#states.forget()
  }

  async fill(passing: readonly RecordedEvent[], position: Position): Promise<void> {
    const endpoints = (this.#endpoints ??= subscribers(await this.#options.outbox.endpoints()))
    let changes: OutboxChange[] = []
    for (const [index, event] of passing.entries()) {
      this.#states.pass(event)
      changes.push(...(await this.#changesOf(event, endpoints)))
      // The rows of a pack have one position: it is reached when all are stored.
      const isWithin = passing[index + 1]?.position === event.position
      if (isWithin || deliveriesIn(changes) < PIECE) continue
      await this.#store(changes, event.position)
      changes = []
    }
    await this.#store(changes, position)
  }

  async #store(changes: readonly OutboxChange[], position: Position): Promise<void> {
    await this.#options.outbox.store(changes, position)
    this.#followed = position
    const filled = new Map<string, Endpoint>()
    for (const change of changes) {
      if (change.op === 'endpoint') filled.set(change.endpoint.key, change.endpoint)
      if (change.op !== 'send') continue
      for (const { endpoint: key, company } of change.deliveries) {
        const endpoint = this.#endpoints?.get(company, key)
        if (endpoint) filled.set(key, endpoint)
      }
    }
    this.#options.onFilled([...filled.values()])
    // What is due is sent meanwhile, however much there is to fill in.
    await turn()
  }

  async #changesOf(event: RecordedEvent, endpoints: Subscribers): Promise<readonly OutboxChange[]> {
    const object = objectOfKey(event.stream) ?? ''
    if (object === WEBHOOK) return this.#subscriptionChanged(event, endpoints)
    const due = dueBy(event)
    if (due) return this.#due(due, endpoints)
    const definition = this.#options.definitions.get(object)
    const { company, quiet } = event.metadata
    if (!definition || quiet) return []
    for (const held of endpoints.heldBack(company, event.type)) this.#switchOff(held)
    const takers = endpoints.of(company, event.type, event.position)
    if (takers.length === 0) return []
    const { send, unreadable } = await this.#messageFor(event, definition, takers)
    const held = unreadable.map((endpoint) => this.#holdBack(endpoint, event.position, endpoints))
    return send ? [...held, send] : held
  }

  #due(
    { endpoint, send }: NonNullable<ReturnType<typeof dueBy>>,
    endpoints: Subscribers,
  ): readonly OutboxChange[] {
    if (endpoints.get(endpoint.company, endpoint.key)) return [send]
    endpoints.put(endpoint)
    return [{ op: 'endpoint', endpoint }, send]
  }

  /** From this event on the endpoint gets a replay, once its filter can be read again. */
  #holdBack(endpoint: Endpoint, position: Position, endpoints: Subscribers): OutboxChange {
    const held = { ...endpoint, position, heldFrom: position - 1 }
    endpoints.put(held)
    this.#switchOff(held)
    return { op: 'endpoint', endpoint: held }
  }

  #switchOff(endpoint: Endpoint): void {
    if (this.#disabling.has(endpoint.key)) return
    this.#disabling.add(endpoint.key)
    const reason =
      'its filter does not fit the definitions any more; its events are kept until it is corrected'
    void this.#options
      .disable(endpoint, reason)
      .catch((error: unknown) => this.#options.onTrouble(`${endpoint.key} cannot be switched off`, error))
      .finally(() => this.#disabling.delete(endpoint.key))
  }

  async #subscriptionChanged(event: RecordedEvent, endpoints: Subscribers): Promise<OutboxChange[]> {
    const { stream, position, metadata } = event
    const { company } = metadata
    const told = endpointOf(company, stream, position, await this.#states.after(event))
    const known = endpoints.get(company, stream)
    if ((known?.position ?? 0) > position) return []
    if (!told) {
      endpoints.delete(company, stream)
      return [{ op: 'forget', key: stream, position }]
    }
    const since = known ? known.since : await this.#options.delivered(company, stream)
    const heldFrom = told.active ? undefined : known?.heldFrom
    const endpoint: Endpoint = {
      ...told,
      ...(since !== undefined && since > 0 && { since }),
      ...(heldFrom !== undefined && { heldFrom }),
    }
    endpoints.put(endpoint)
    const isGivenUp = typeof event.data['DisabledReason'] === 'string'
    return [
      { op: 'endpoint', endpoint },
      ...(isGivenUp ? this.#disabled(event, endpoint, endpoints) : []),
      ...(told.active && known?.heldFrom !== undefined ? [madeUpFor(endpoint, known.heldFrom)] : []),
    ]
  }

  #disabled(event: RecordedEvent, { key, url }: Endpoint, endpoints: Subscribers): OutboxChange[] {
    const { company, recordedAt: at } = event.metadata
    // Not this one: what it is now begins after the event.
    const others = endpoints.of(company, DISABLED, event.position)
    if (others.length === 0) return []
    const data = { Id: key, Url: url, IsActive: false, DisabledReason: event.data['DisabledReason']! }
    const message: Message = {
      id: messageId(hash('md5', `disabled/${event.id}`)),
      company,
      event: DISABLED,
      record: key,
      position: event.position,
      body: bodyOf(DISABLED, at, { ...data, DisabledAt: secondsOf(at), Version: event.version }),
    }
    return [{ op: 'send', message, deliveries: others.map((other) => deliveryOf(message, other.key, at)) }]
  }
}

/** What was held back from an endpoint, as a replay. */
function madeUpFor({ key, company, position }: Endpoint, heldFrom: Position): OutboxChange {
  const id = `held-${key}-${heldFrom}`
  return { op: 'replay', replay: { id, company, endpoint: key, after: heldFrom, until: position } }
}

function deliveriesIn(changes: readonly OutboxChange[]): number {
  return changes.reduce((sum, change) => sum + (change.op === 'send' ? change.deliveries.length : 0), 0)
}
