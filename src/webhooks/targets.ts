/**
 * What an endpoint is: its Key says it. Beside webhooks, which are subscriptions, there are endpoints that come to be with the
 * first thing that is due for them: one of each company for its mails, one of each integration for its requests. One outbox
 * has them all: one schedule, one log, one way to send again.
 *
 * What is sent there has a stream of its own. An event of it with one of the `due` types, whose data say `State: 'due'`, becomes
 * a delivery; another such event makes it one once more. When it is due, the process is asked to send what the stream says
 * (`SendTo`), and decides by that stream whether it still has to be: deliveries may be made twice, after a crash or for an
 * outbox that is filled again. So the stream says before each attempt that it is made, and what came of it.
 *
 * A request to another system: `sending.created` with `{State: 'due', Integration: 'integration-…', Record: 'contract-…'}` in a
 * stream `sending-…`. Requests of one record go out one after the other, in the order of their events.
 */
import type { RecordedEvent } from '../domain/events/event.ts'
import { objectOfKey } from '../domain/records/key.ts'
import type { Clock } from '../ports/clock.ts'
import type { Endpoint, OutboxChange } from '../ports/outbox.ts'
import type { Send } from '../ports/sending/send-attempt.ts'
import type { Deliver } from './deliver.ts'
import { deliveryOf, messageId } from './messages.ts'

/** Objects of the Keys of endpoints that are not webhooks. */
export const TARGETS = ['mail', 'rest'] as const
export type Target = (typeof TARGETS)[number]

/** What sends to each. */
export type SendTo = Readonly<Record<Target, Send>>

/** Of a process without what sends. */
export const sendsNone: Send = async () => ({ isOver: true, isSent: false, detail: 'nothing here sends it' })

interface Due {
  readonly types: readonly string[]
  /** Key of the endpoint. */
  endpointOf(event: RecordedEvent): string
  /** What must not be sent at the same time. */
  recordOf(event: RecordedEvent): string
  readonly ordered: boolean
}

const sameSuffix = (target: Target, key: string) => key.replace(/^[^-]*/, target)

const DUE: Readonly<Record<Target, Due>> = {
  mail: {
    types: ['notification.created', 'notification.due'],
    endpointOf: ({ metadata }) => sameSuffix('mail', metadata.company),
    recordOf: ({ stream }) => stream,
    ordered: false,
  },
  rest: {
    types: ['sending.created', 'sending.due'],
    endpointOf: ({ data }) => restEndpointOf(data['Integration'] as string),
    recordOf: ({ stream, data }) => (data['Record'] as string | undefined) ?? stream,
    ordered: true,
  },
}

/** The Key of the endpoint of an integration's requests: its deliveries are listed under that (`DeliveryLog.list`). */
export const restEndpointOf = (integration: string): string => sameSuffix('rest', integration)

/** Undefined: it is a webhook. */
export function targetOf(endpoint: string): Target | undefined {
  const object = objectOfKey(endpoint)
  return TARGETS.find((target) => target === object)
}

/** What an event makes due: an endpoint, and the delivery to it. Undefined: nothing, or nothing here. */
export function dueBy(
  event: RecordedEvent,
): { readonly endpoint: Endpoint; readonly send: OutboxChange } | undefined {
  const { id, type, stream, data, position, metadata } = event
  if (data['State'] !== 'due') return undefined
  const target = TARGETS.find((one) => DUE[one].types.includes(type))
  if (!target) return undefined
  const { endpointOf, recordOf, ordered } = DUE[target]
  const { company, recordedAt } = metadata
  const key = endpointOf(event)
  const endpoint = {
    key,
    company,
    position,
    url: URLS[target],
    events: [],
    ordered,
    active: true,
    secrets: [],
  }
  const message = { id: messageId(id), company, event: type, record: recordOf(event), position, body: stream }
  const send = { op: 'send', message, deliveries: [deliveryOf(message, key, recordedAt)] } as const
  return { endpoint, send }
}

/** Of endpoints that have none. */
const URLS: Readonly<Record<Target, string>> = { mail: 'mailto:', rest: 'https:' }

export interface TargetDeliverer {
  readonly clock: Clock
  /** So often it is tried. */
  readonly attempts: number
  readonly send: (target: Target, ...thing: Parameters<Send>) => ReturnType<Send>
}

/** Each delivery by what its endpoint is. */
export function byTarget(webhook: Deliver, { clock, attempts, send }: TargetDeliverer): Deliver {
  return async (endpoint, due) => {
    const target = targetOf(endpoint.key)
    if (!target) return webhook(endpoint, due)
    const { body: stream } = due.message
    const at = new Date(clock.now()).toISOString()
    const began = clock.elapsed()
    const made = await send(target, endpoint.company, { stream, isLast: due.attempts + 1 >= attempts })
    const { isOver, isSent, isHeld, detail, againInMs, url, status } = made
    const durationMs = Math.round(clock.elapsed() - began)
    return {
      attempt: {
        at,
        durationMs,
        url: url ?? endpoint.url,
        requestHeaders: {},
        ...(status !== undefined && { status }),
        [isSent ? 'reply' : 'error']: detail,
      },
      succeeded: isSent,
      gone: false,
      aborted: false,
      ...(isOver && { isFinal: true }),
      ...(isHeld && { isHeld }),
      retryAfterMs: againInMs,
    }
  }
}
