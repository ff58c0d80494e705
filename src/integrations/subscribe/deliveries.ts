/**
 * What a broker delivers, as rows of the inbox. A message that says when its readings were taken, or has an Id, is known by that, as it
 * is over HTTP. Another is known by its delivery: the same bytes from a device that measures the same again are something new,
 * and a delivery that is repeated is not.
 */
import { createHash, randomUUID } from 'node:crypto'
import type { Json } from '../../domain/json.ts'
import type { Arrival } from '../../ports/inbox.ts'
import type { PublishedMessage } from '../../ports/sources/message-source.ts'
import type { Received } from '../definition/receive-schema.ts'
import type { Integration } from '../integration.ts'
import { idOfBody } from '../mapping/plan.ts'
import { inboxId } from '../receive/inbox-id.ts'
import { resolveSenml } from '../receive/senml.ts'
import { sourceOf } from '../receive/source-of.ts'
import type { IntegrationWork } from '../work.ts'

export interface Delivered {
  readonly arrival: Arrival
  /** Another row for it, where one with its name is there and the broker says that it is new. */
  readonly another?: () => Arrival
}

export function deliveredOf(
  { sealing, clock }: Pick<IntegrationWork, 'sealing' | 'clock'>,
  { company, key }: Integration,
  entry: Received,
  message: PublishedMessage,
): Delivered {
  const receivedAt = clock.now()
  const json = jsonIn(message.payload)
  const arrival = (source: string): Arrival => {
    const id = inboxId(key, entry.name, source)
    const kept = { id: source, topic: message.topic, ...(json !== undefined && { message: json }) }
    const payload = sealing.seal(JSON.stringify(kept), id)
    return { id, company, integration: key, entry: entry.name, source, payload, receivedAt, state: 'stored' }
  }
  const own = json === undefined ? undefined : ownName(entry, message, json)
  if (own !== undefined) return { arrival: arrival(own) }
  const { topic, delivery = randomUUID() } = message
  const source = idOfBody(
    createHash('sha256')
      .update(JSON.stringify([delivery, topic]))
      .update(message.payload)
      .digest(),
  )
  const isNew = !message.isRepeat
  return { arrival: arrival(source), ...(isNew && { another: () => arrival(`${source}-${randomUUID()}`) }) }
}

/** What it is known by whenever and however it comes; undefined: nothing in it says so. */
function ownName(entry: Received, { topic, payload }: PublishedMessage, json: Json): string | undefined {
  if (entry.body === 'senml') return hasTimes(json) ? idOfBody(payload) : undefined
  if (entry.id === undefined || entry.each !== undefined) return undefined
  return sourceOf(entry, { topic, message: json }, payload)
}

/** No reading counts from the receipt. */
function hasTimes(list: Json): boolean {
  const [one, other] = [resolveSenml(list, 0), resolveSenml(list, 1_000_000)]
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other)
}

function jsonIn(payload: Uint8Array): Json | undefined {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload)) as Json
  } catch {
    return undefined
  }
}
