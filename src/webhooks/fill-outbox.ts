/**
 * The projection that fills the outbox: each event that someone subscribed to becomes one delivery for each of them,
 * stored together with the position. Subscriptions are learned from the same events, so a subscription begins exactly
 * after the event that made it.
 */
import { hash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { secondsOf } from '../domain/fields/dates.ts'
import type { Definitions } from '../domain/definition.ts'
import type { Position, RecordedEvent } from '../domain/events/event.ts'
import { objectOfKey } from '../domain/records/key.ts'
import { requireUnderstood } from '../domain/events/upcast.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Message } from '../ports/delivery-log.ts'
import type { Endpoint, Filling, OutboxChange } from '../ports/outbox.ts'
import type { ProjectionStore } from '../ports/projection-store.ts'
import { DISABLED } from './event-names.ts'
import { bodyOf, deliveryOf, messageId, messagesOf } from './messages.ts'
import { WEBHOOK } from './objects.ts'
import { statesAsOf } from './states-as-of.ts'
import { endpointOf, wants } from './subscriptions.ts'

export interface FillOutboxOptions {
  /** Of the objects whose events are sent. */
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read'>
  readonly outbox: Pick<Filling, 'endpoints' | 'store' | 'position'>
  /** Events up to here are not sent. */
  readonly begin: Position
  /** Called with the endpoints for which there is something new. */
  readonly onFilled: (endpoints: readonly Endpoint[]) => void
  readonly onTrouble: (message: string, error: unknown) => void
}

/** Deliveries stored together: some milliseconds. */
const PIECE = 500

export const WEBHOOKS_PROJECTION = 'webhooks'

/** What is to be followed: every event of a record, in order. */
export const webhooksProjection = {
  name: WEBHOOKS_PROJECTION,
  needs: [],
  project: (event: RecordedEvent): readonly RecordedEvent[] => {
    if (objectOfKey(event.stream) === undefined) return []
    requireUnderstood(event)
    return [event]
  },
}

/** The place that the projection writes to. */
export function fillOutbox(options: FillOutboxOptions): ProjectionStore<RecordedEvent> {
  const { definitions, events, outbox, begin, onFilled, onTrouble } = options
  const states = statesAsOf(events)
  const messageFor = messagesOf({ definitions, states, onTrouble })
  let endpoints: Map<string, Endpoint> | undefined
  /** Up to here what is remembered has been kept in step with the events. */
  let followed: Position | undefined

  /** What was remembered is learned again, from where the outbox stands. */
  const forget = () => {
    endpoints = undefined
    states.forget()
  }

  // After a crash halfway through a batch an endpoint is further than the events that come again: it has had those.
  const subscribed = ({ metadata, position }: RecordedEvent, name: string) =>
    [...endpoints!.values()].filter(
      (endpoint) =>
        endpoint.company === metadata.company && endpoint.position < position && wants(endpoint, name),
    )

  const subscriptionChanged = async (event: RecordedEvent): Promise<OutboxChange[]> => {
    const { stream, position, metadata } = event
    const endpoint = endpointOf(metadata.company, stream, position, await states.after(event))
    if ((endpoints!.get(stream)?.position ?? 0) > position) return []
    if (!endpoint) {
      endpoints!.delete(stream)
      return [{ op: 'forget', key: stream, position }]
    }
    endpoints!.set(endpoint.key, endpoint)
    const isGivenUp = typeof event.data['DisabledReason'] === 'string' && event.position > begin
    return [{ op: 'endpoint', endpoint }, ...(isGivenUp ? disabled(event, endpoint) : [])]
  }

  const disabled = (event: RecordedEvent, { key, url }: Endpoint): OutboxChange[] => {
    const { company, recordedAt: at } = event.metadata
    const others = subscribed(event, DISABLED).filter((other) => other.key !== key)
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
    const deliveries = others.map((other) => deliveryOf(message, other.key, at))
    return [{ op: 'send', message, deliveries }]
  }

  const changesOf = async (event: RecordedEvent): Promise<OutboxChange[]> => {
    states.pass(event)
    const object = objectOfKey(event.stream) ?? ''
    if (object === WEBHOOK) return subscriptionChanged(event)
    const definition = definitions.get(object)
    if (!definition || event.position <= begin) return []
    const takers = subscribed(event, event.type)
    const sent = takers.length > 0 ? await messageFor(event, definition, takers) : undefined
    return sent ? [sent] : []
  }

  const fill = async (passing: readonly RecordedEvent[], position: Position) => {
    endpoints ??= new Map((await outbox.endpoints()).map((endpoint) => [endpoint.key, endpoint]))
    let changes: OutboxChange[] = []
    for (const event of passing) {
      changes.push(...(await changesOf(event)))
      if (deliveriesIn(changes) < PIECE) continue
      await store(changes, event.position)
      changes = []
    }
    await store(changes, position)
  }

  const store = async (changes: readonly OutboxChange[], position: Position) => {
    await outbox.store(changes, position)
    followed = position
    const filled = new Set(
      changes.flatMap((change) => (change.op === 'send' ? change.deliveries : [])).map((one) => one.endpoint),
    )
    for (const change of changes) if (change.op === 'endpoint') filled.add(change.endpoint.key)
    onFilled([...filled].flatMap((key) => endpoints!.get(key) ?? []))
    // What is due is sent meanwhile, however much there is to fill in.
    await turn()
  }

  return {
    async position() {
      const position = await outbox.position()
      // Another process has filled the outbox meanwhile: what it passed over did not come by here.
      if (position !== followed) forget()
      followed = position
      return position
    },
    async apply(work, position) {
      try {
        const passing = work.flatMap(({ steps }) => steps.flatMap(({ operations }) => operations))
        await fill(passing, position)
      } catch (error) {
        forget()
        throw error
      }
    },
    settled: async () => {},
    close: async () => {},
  }
}

function deliveriesIn(changes: readonly OutboxChange[]): number {
  return changes.reduce((sum, change) => sum + (change.op === 'send' ? change.deliveries.length : 0), 0)
}
