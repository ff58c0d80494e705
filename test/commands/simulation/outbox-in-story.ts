/**
 * The outbox that all processes of a story share, and the subscriptions that it is filled for. It is told of changes in
 * their order, may fail halfway through them, and takes them only from a process that has seen all that is in it.
 */
import { derivedId } from '../../../src/commands/support/identifiers.ts'
import type { Definitions } from '../../../src/domain/definition.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import type { Position, RecordedEvent } from '../../../src/domain/events/event.ts'
import type { Fields } from '../../../src/domain/json.ts'
import type { Message } from '../../../src/ports/delivery-log.ts'
import type { EventStore } from '../../../src/ports/event-store.ts'
import type { Endpoint, OutboxChange } from '../../../src/ports/outbox.ts'
import type { ProjectionStore } from '../../../src/ports/projection-store.ts'
import { fillOutbox } from '../../../src/webhooks/fill-outbox.ts'
import { WEBHOOK, webhookDefinition } from '../../../src/webhooks/objects.ts'
import { newEvent } from '../../support/events.ts'
import { COMPANY, definitions, key } from '../../support/write-side.ts'
import type { Chances } from './chances.ts'
import type { Fate } from './follow-in-story.ts'

/** With what the service keeps for itself. */
export const allDefinitions: Definitions = new Map([...definitions, [WEBHOOK, webhookDefinition]])

/** A delivery as it was stored first. */
export interface Sent {
  readonly endpoint: string
  readonly message: Message
}

export interface OutboxInStory {
  position(): Position
  /** By the Keys of deliveries. */
  readonly sent: ReadonlyMap<string, Sent>
  /** What one process fills it by. */
  filledBy(events: Pick<EventStore, 'read'>, fate: Fate): ProjectionStore<RecordedEvent>
}

export function outboxInStory({ chance, random }: Chances): OutboxInStory {
  const sent = new Map<string, Sent>()
  const endpoints = new Map<string, Endpoint>()
  let position = 0

  const make = (change: OutboxChange) => {
    if (change.op === 'endpoint') endpoints.set(change.endpoint.key, change.endpoint)
    else if (change.op === 'forget') endpoints.delete(change.key)
    else if (change.op === 'send')
      for (const { id, endpoint } of change.deliveries)
        if (!sent.has(id)) sent.set(id, { endpoint, message: change.message })
  }

  return {
    position: () => position,
    sent,
    filledBy(events, { isCalm, call, onTrouble }) {
      let seen: Position | undefined
      return fillOutbox({
        definitions,
        events,
        delivered: async () => 0,
        disable: async () => {},
        onFilled: () => {},
        onTrouble,
        outbox: {
          async position() {
            await call(0.01)
            return (seen = position)
          },
          async endpoints() {
            await call(0.01)
            return [...endpoints.values()]
          },
          async store(changes, upTo) {
            await call(0.03)
            if (seen !== position) throw new Unavailable('another process has filled the outbox')
            if (!isCalm() && chance(0.05)) {
              changes.slice(0, Math.floor(random() * (changes.length + 1))).forEach(make)
              throw new Unavailable('the outbox fails halfway')
            }
            changes.forEach(make)
            position = Math.max(position, upTo)
            await call(0.03)
            seen = position
          },
        },
      })
    },
  }
}

const PATTERNS = [['*'], ['tenant.*'], ['contract.created', 'contract.workflow.*'], ['contract.*', 'job.*']]
const HOOKS = 3

/** Somebody makes, changes or deletes a subscription, as their own events say. */
export function subscribeInStory({ pick, chance }: Chances): (events: EventStore, now: number) => void {
  const states = new Map<string, { version: number; isThere: boolean }>()
  let made = 0
  return (events, now) => {
    const stream = key('webhook', 1 + (made++ % HOOKS))
    const state = states.get(stream) ?? { version: 0, isThere: false }
    states.set(stream, state)
    const told = (type: string, data: Fields) => {
      const id = derivedId(`${stream}/${state.version}`)
      const metadata = { company: COMPANY, at: new Date(now).toISOString(), $correlationId: id }
      const event = newEvent({ id, type, data, metadata })
      void events.append({ company: COMPANY, stream, expected: state.version++, events: [event] })
    }
    if (state.version === 0) {
      const hook = { Url: 'https://a.example/', Secret: 'sealed', IsActive: true, Events: pick(PATTERNS) }
      told('webhook.created', hook)
    } else if (!state.isThere) told('webhook.restored', {})
    else if (chance(0.3)) return void (told('webhook.deleted', {}), (state.isThere = false))
    else told('webhook.updated', chance(0.5) ? { IsActive: chance(0.6) } : { Events: pick(PATTERNS) })
    state.isThere = true
  }
}
