/**
 * From an event to the message that is sent (docs/webhooks.md): the record as of that event, written out once.
 *
 * `Data` is the record as it is served, with its `Version`; lookups show `{Id, <display>}` as of the event too.
 */
import { hash } from 'node:crypto'
import { secondsOf } from '../domain/fields/dates.ts'
import { fieldOf, withoutSecrets, type Definitions, type ObjectDefinition } from '../domain/definition.ts'
import { recordDocument } from '../domain/records/document.ts'
import { Invalid } from '../domain/errors.ts'
import type { RecordedEvent } from '../domain/events/event.ts'
import { matches } from '../domain/filter/evaluate.ts'
import { parseFilter } from '../domain/filter/parse.ts'
import type { Fields, Json } from '../domain/json.ts'
import { keyOf, uuid7 } from '../domain/records/key.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { Message, NewDelivery } from '../ports/delivery-log.ts'
import type { Endpoint, OutboxChange } from '../ports/outbox.ts'
import type { StatesAsOf } from './states-as-of.ts'

export interface MessagesOptions {
  /** Of the objects whose events are sent. */
  readonly definitions: Definitions
  readonly states: StatesAsOf
}

export interface Sent {
  /** The message and its deliveries; absent when the filters of all endpoints leave it out. */
  readonly send?: OutboxChange
  /** Endpoints whose filter does not fit the definitions: what it would let pass is unknown. */
  readonly unreadable: readonly Endpoint[]
}

/** The message of an event, for those of the endpoints whose filter lets it pass. */
export type SendTo = (
  event: RecordedEvent,
  definition: ObjectDefinition,
  endpoints: readonly Endpoint[],
  /** Distinguishes deliveries of one message to one endpoint: empty for the first. */
  again?: string,
) => Promise<Sent>

export function messagesOf({ definitions, states }: MessagesOptions): SendTo {
  const documentAt = async (
    event: RecordedEvent,
    definition: ObjectDefinition,
    key: string,
    { fields, createdAt, modifiedAt }: RecordState,
  ): Promise<Fields> => {
    const displays = new Map<string, Json>()
    for (const { name, type, target = '' } of definition.fields) {
      const looked = fields[name]
      if (type !== 'lookup' || typeof looked !== 'string') continue
      const state = await states.at(event.metadata.company, looked, event.position)
      displays.set(looked, state.fields[definitions.get(target)?.display ?? ''] ?? null)
    }
    const displayOf = (_object: string, looked: string) => displays.get(looked) ?? null
    const document = { definition, definitions, key, fields, createdAt, modifiedAt, displayOf }
    return withoutSecrets(definition, recordDocument(document))
  }

  /** @throws Invalid when the filter does not fit the definitions */
  const passes = async (
    { filter: text }: Endpoint,
    event: RecordedEvent,
    definition: ObjectDefinition,
    document: Fields,
  ): Promise<boolean> => {
    if (text === undefined) return true
    const filter = parseFilter(text, definition, definitions)
    // Records looked up are read when the filter asks for them.
    const found = new Map<string, Fields | undefined>()
    for (;;) {
      const missing: [object: string, key: string][] = []
      const result = matches(filter, document, (object, looked) => {
        if (!found.has(looked)) missing.push([object, looked])
        return found.get(looked)
      })
      if (missing.length === 0) return result
      for (const [object, looked] of missing) {
        const state = await states.at(event.metadata.company, looked, event.position)
        const target = definitions.get(object)
        const there = target && state.status === 'live'
        found.set(looked, there ? await documentAt(event, target, looked, state) : undefined)
      }
    }
  }

  return async (event, definition, endpoints, again = '') => {
    const { stream, metadata, type, position } = event
    const state = await states.after(event)
    const document = await documentAt(event, definition, stream, state)
    const takers: Endpoint[] = []
    const unreadable: Endpoint[] = []
    for (const endpoint of endpoints)
      try {
        if (await passes(endpoint, event, definition, document)) takers.push(endpoint)
      } catch (error) {
        if (!(error instanceof Invalid)) throw error
        unreadable.push(endpoint)
      }
    if (takers.length === 0) return { unreadable }
    const message: Message = {
      id: messageId(event.id),
      company: metadata.company,
      event: type,
      record: stream,
      position,
      body: bodyOf(type, metadata.recordedAt, withVersion(definition, document, state)),
    }
    const deliveries = takers.map(({ key }) => deliveryOf(message, key, metadata.recordedAt, again))
    return { send: { op: 'send', message, deliveries }, unreadable }
  }
}

function withVersion(
  definition: ObjectDefinition,
  document: Fields,
  { status, version }: RecordState,
): Fields {
  return {
    ...document,
    ...(status === 'deleted' && { IsDeleted: true }),
    // An object may have a field of that name.
    ...(!fieldOf(definition, 'Version') && { Version: version }),
  }
}

/** The bytes that are signed, sent, logged and sent again. */
export function bodyOf(event: string, at: string, data: Fields): string {
  return JSON.stringify({ Event: event, Timestamp: secondsOf(at), Data: data })
}

/** `webhook-id` of the message that the thing with this UUID leads to. */
export function messageId(uuid: string): string {
  return `msg_${uuid.replaceAll('-', '')}`
}

/** A delivery with the Key that it always has. */
export function deliveryOf(
  { id, company }: Pick<Message, 'id' | 'company'>,
  endpoint: string,
  createdAt: string,
  again = '',
): NewDelivery {
  const name = hash('sha1', `${endpoint}/${id}/${again}`, 'buffer').subarray(0, 10)
  const key = keyOf('delivery', uuid7(Date.parse(createdAt), name))
  return { id: key, endpoint, company, message: id, createdAt }
}
