/**
 * Whether a webhook comes from Daybook, unchanged and not long ago. With Web Crypto, so that it runs in Node, Deno, Bun, workers
 * and browsers; compared in constant time.
 */

/** What a webhook says. */
export interface WebhookEvent {
  /** Its name: `contract.created`. */
  readonly Event: string
  readonly Timestamp: string
  readonly Data: { readonly Id: string; readonly [field: string]: unknown }
  /** Of the message: the same over all its attempts. */
  readonly id: string | undefined
}

export interface VerifyOptions {
  /** How far the time of the attempt may lie from now, in seconds; 300 by default. */
  readonly toleranceSeconds?: number
  /** The header that carries `sha256=…`; only read where the headers of Standard Webhooks are missing. */
  readonly signatureHeader?: string
  /** Milliseconds since 1970. */
  readonly now?: number
}

/** The webhook is not to be trusted; the message says why. */
export class UntrustedWebhook extends Error {
  override readonly name = 'UntrustedWebhook'
}

/** Not shared between threads, as Web Crypto wants them. */
type Bytes = Uint8Array<ArrayBuffer>

type HeaderValues = Headers | { readonly [name: string]: string | readonly string[] | undefined }

/**
 * The event of a webhook whose signature is right.
 * @param body as it came, byte for byte
 * @param secrets the webhook's, newest first: while one is rotated, both
 * @throws UntrustedWebhook
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderValues,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, signatureHeader = 'X-Hub-Signature-256', now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const bytes: Bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  const known = (typeof secrets === 'string' ? [secrets] : secrets).filter((secret) => secret !== '')
  if (known.length === 0) throw new TypeError('verifyWebhook needs the secret of the webhook')
  const header = reader(headers)
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(header)
  const isStandard = id !== undefined || time !== undefined || signatures !== undefined
  if (isStandard) {
    if (!id || !time || !signatures) throw new UntrustedWebhook('headers of the signature are missing')
    if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1_000 - Number(time)) > toleranceSeconds)
      throw new UntrustedWebhook('the attempt was made too long ago, or lies in the future')
    const signed = joined(new TextEncoder().encode(`${id}.${time}.`), bytes)
    const given = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [one.slice(3)] : []))
    const expected = await Promise.all(known.map((secret) => hmac(standardKey(secret), signed).then(base64)))
    if (!anyEqual(given, expected)) throw new UntrustedWebhook('the signature is by another secret')
  } else {
    const given = header(signatureHeader.toLowerCase())
    if (given === undefined) throw new UntrustedWebhook('it is not signed')
    const expected = await Promise.all(
      known.map(async (secret) => `sha256=${hex(await hmac(new TextEncoder().encode(secret), bytes))}`),
    )
    if (!anyEqual([given], expected)) throw new UntrustedWebhook('the signature is by another secret')
  }
  return { ...(JSON.parse(new TextDecoder().decode(bytes)) as Omit<WebhookEvent, 'id'>), id }
}

function reader(headers: HeaderValues): (name: string) => string | undefined {
  if (headers instanceof Headers) return (name) => headers.get(name) ?? undefined
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return (name) => {
    const value = lower.get(name)
    return typeof value === 'object' ? value.join(', ') : value
  }
}

/** What `whsec_` secrets hold in base64; other secrets as they are written. */
function standardKey(secret: string): Bytes {
  const [, encoded] =
    /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(secret) ?? []
  return encoded
    ? Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0))
    : new TextEncoder().encode(secret)
}

async function hmac(key: Bytes, bytes: Bytes): Promise<Bytes> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytes))
}

function joined(one: Bytes, other: Bytes): Bytes {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

/** Compares all with all, each in a time that does not depend on where they differ. */
function anyEqual(given: readonly string[], expected: readonly string[]): boolean {
  let found = false
  for (const one of given) for (const other of expected) if (isEqual(one, other)) found = true
  return found
}

function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < other.length; at++) difference |= (one.charCodeAt(at) || 0) ^ other.charCodeAt(at)
  return difference === 0
}
