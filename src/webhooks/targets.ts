/**
 * What an endpoint is: its Key says it. Webhooks are subscriptions; each company has one endpoint for its mails, which comes to be
 * with its first message. One outbox has them all: one schedule, one log, one way to send again.
 */
import type { Company, Position, RecordedEvent } from '../domain/events/event.ts'
import { objectOfKey } from '../domain/records/key.ts'
import type { Clock } from '../ports/clock.ts'
import type { MailAttempt } from '../ports/mailer.ts'
import type { Endpoint, OutboxChange } from '../ports/outbox.ts'
import type { Deliver } from './deliver.ts'
import { deliveryOf, messageId } from './messages.ts'

export const isMail = (endpoint: string): boolean => objectOfKey(endpoint) === 'mail'

/** The Key of the endpoint of a company's mails. */
export const mailEndpointOf = (company: Company): string => company.replace(/^[^-]*/, 'mail')

/** Messages of notifications are about to be sent by these events, and by no other. */
const DUE = ['notification.created', 'notification.due']

export function isMailDue({ type, data }: RecordedEvent): boolean {
  return DUE.includes(type) && data['State'] === 'due'
}

/** A message that is due, as a delivery to the company's endpoint. @param isKnown whether the endpoint is there already */
export function mailDue(event: RecordedEvent, isKnown: boolean): readonly OutboxChange[] {
  const { id, stream: record, position, metadata } = event
  const { company, recordedAt } = metadata
  const endpoint = mailEndpointOf(company)
  const message = { id: messageId(id), company, event: event.type, record, position, body: '' }
  return [
    ...(isKnown ? [] : [{ op: 'endpoint', endpoint: mailEndpoint(company, position) } as const]),
    { op: 'send', message, deliveries: [deliveryOf(message, endpoint, recordedAt)] },
  ]
}

export function mailEndpoint(company: Company, position: Position): Endpoint {
  const key = mailEndpointOf(company)
  return { key, company, position, url: 'mailto:', events: [], ordered: false, active: true, secrets: [] }
}

export interface MailDeliverer {
  readonly clock: Clock
  readonly send: (company: Company, message: string) => Promise<MailAttempt>
}

/** Each delivery by what its endpoint is. */
export function byTarget(webhook: Deliver, mail: MailDeliverer): Deliver {
  return async (endpoint, due) => {
    if (!isMail(endpoint.key)) return webhook(endpoint, due)
    const { clock, send } = mail
    const at = new Date(clock.now()).toISOString()
    const began = clock.elapsed()
    const { isOver, isSent, detail, againInMs } = await send(endpoint.company, due.message.record)
    const durationMs = Math.round(clock.elapsed() - began)
    return {
      attempt: { at, durationMs, url: 'mailto:', requestHeaders: {}, [isSent ? 'reply' : 'error']: detail },
      succeeded: isSent,
      gone: false,
      aborted: false,
      ...(isOver && { isFinal: true }),
      retryAfterMs: againInMs,
    }
  }
}
