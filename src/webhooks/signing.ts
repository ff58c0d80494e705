/**
 * Signatures (docs/interface.md#signatures, docs/open-facts.md 29): HMAC-SHA256 over the raw body, as lowercase hex after `sha256=`; beside it
 * the headers of Standard Webhooks 1.0, which also cover the message's id and the time of the attempt.
 *
 * The key of the first is the registered secret as it was written. The key of the second is what `whsec_` secrets hold
 * in base64, and other secrets as they were written.
 */
import { createHmac, randomBytes } from 'node:crypto'

export interface ToSign {
  /** The same bytes that are sent. */
  readonly body: string
  /** `webhook-id`. */
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  /** Newest first; never empty. */
  readonly secrets: readonly string[]
  /** Name of the header that carries `sha256=…`. */
  readonly signatureHeader: string
}

/**
 * While an old secret is still valid `webhook-signature` has a signature by each, newest first. The other header has one
 * value only: by the newest secret.
 */
export function signatureHeaders({
  body,
  id,
  timestamp,
  secrets,
  signatureHeader,
}: ToSign): Readonly<Record<string, string>> {
  const signed = `${id}.${timestamp}.${body}`
  return {
    [signatureHeader]: `sha256=${hmac(Buffer.from(secrets[0]!), body).toString('hex')}`,
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets
      .map((secret) => `v1,${hmac(standardKey(secret), signed).toString('base64')}`)
      .join(' '),
  }
}

/** A secret for those who bring none. */
export function generateSecret(random: (bytes: number) => Buffer = randomBytes): string {
  return `whsec_${random(32).toString('base64')}`
}

/** The key that Standard Webhooks signs with. */
function standardKey(secret: string): Buffer {
  const [, encoded] =
    /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(secret) ?? []
  return encoded ? Buffer.from(encoded, 'base64') : Buffer.from(secret)
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** What the secrets of a company's webhooks are sealed for. */
export function secretOwner(company: string): string {
  return `webhooks of ${company}`
}
