/**
 * One attempt: the message's bytes, signed with what is valid now, posted, and what came back judged. Only 2xx is success
 * (docs/open-facts.md 30).
 */
import type { Clock } from '../ports/clock.ts'
import type { Attempt } from '../ports/delivery-log.ts'
import type { HttpSender, PostOutcome } from '../ports/http-sender.ts'
import type { Due, Endpoint } from '../ports/outbox.ts'
import { retryAfterMs } from './schedule.ts'
import { signatureHeaders } from './signing.ts'
import { validSecrets } from './subscriptions.ts'
import { messageOf } from '../domain/errors.ts'

export interface DeliverOptions {
  readonly sender: HttpSender
  /** Opens a secret that the company has sealed. @throws Error when that cannot be done */
  readonly openSecret: (company: string, sealed: string) => Promise<string>
  readonly clock: Clock
  readonly signatureHeader: string
  readonly userAgent: string
}

export interface Delivered {
  readonly attempt: Attempt
  readonly succeeded: boolean
  /** The receiver says that it is gone for good. */
  readonly gone: boolean
  /** The sender was closed meanwhile: nothing is known of it. */
  readonly aborted: boolean
  /** Another attempt would come to the same. */
  readonly isFinal?: boolean
  /** Nothing was tried, because it is not its turn: it does not count as an attempt. */
  readonly isHeld?: boolean
  /** The receiver asks for this much patience. */
  readonly retryAfterMs?: number | undefined
}

export type Deliver = (endpoint: Endpoint, due: Due) => Promise<Delivered>

/** For all of an attempt. */
const ATTEMPT_MS = 15_000
const MAX_REPLY_BYTES = 65_536
/** Of the answer's body this much is kept in the log, in characters. */
const KEPT_REPLY = 4_096
const KEPT_HEADERS = 30
const KEPT_HEADER = 500

export function deliverer({
  sender,
  openSecret,
  clock,
  signatureHeader,
  userAgent,
}: DeliverOptions): Deliver {
  return async (endpoint, { id, message, attempts }) => {
    const at = clock.now()
    const began = clock.elapsed()
    const headersWith = (secrets: readonly string[]) => ({
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': userAgent,
      'Daybook-Event': message.event,
      'Daybook-Delivery': id,
      'Daybook-Attempt': String(attempts + 1),
      ...signatureHeaders({
        body: message.body,
        id: message.id,
        timestamp: Math.floor(at / 1_000),
        secrets,
        signatureHeader,
      }),
    })
    let headers: Readonly<Record<string, string>> = {}
    let outcome: PostOutcome
    try {
      const sealed = validSecrets(endpoint, at)
      headers = headersWith(await Promise.all(sealed.map((one) => openSecret(endpoint.company, one))))
      const bounds = { timeoutMs: ATTEMPT_MS, maxReplyBytes: MAX_REPLY_BYTES }
      outcome = await sender.post({ url: endpoint.url, headers, body: message.body, ...bounds })
    } catch (error) {
      outcome = {
        error: `the secret cannot be opened (${messageOf(error)})`,
      }
    }
    const status = 'status' in outcome ? outcome.status : undefined
    return {
      attempt: {
        at: new Date(at).toISOString(),
        durationMs: Math.round(clock.elapsed() - began),
        url: endpoint.url,
        requestHeaders: headers,
        ...reported(outcome),
      },
      succeeded: status !== undefined && status >= 200 && status < 300,
      gone: status === 410,
      aborted: 'aborted' in outcome,
      ...('status' in outcome && { retryAfterMs: retryAfterMs(outcome.headers['retry-after'], clock.now()) }),
    }
  }
}

function reported(outcome: PostOutcome): Partial<Attempt> {
  if ('error' in outcome) return { error: outcome.error }
  const headers = Object.entries(outcome.headers)
    .slice(0, KEPT_HEADERS)
    .map(([name, value]) => [name, value.slice(0, KEPT_HEADER)] as const)
  return {
    status: outcome.status,
    replyHeaders: Object.fromEntries(headers),
    reply: outcome.body.slice(0, KEPT_REPLY).toWellFormed(),
  }
}
