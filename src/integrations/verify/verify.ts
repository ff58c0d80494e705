/** Judges whether an inbound message comes from who holds the secrets, over its raw bytes. */
import type { VerifyScheme } from '../definition/verify-schema.ts'
import { valueAt } from '../mapping/path.ts'
import { itemsAt } from '../mapping/items.ts'
import { checkDigest } from './digest.ts'
import { isEqual } from './equal.ts'
import { checkHmac } from './hmac.ts'
import type { Doubt, Verifying } from './inbound.ts'

/** The first doubt of all schemes. A list without schemes believes nothing. */
export function doubtOf(schemes: readonly VerifyScheme[], verifying: Verifying): Doubt {
  if (schemes.length === 0) return 'the integration does not say how messages are verified'
  for (const scheme of schemes) {
    const doubt = doubtOfScheme(scheme, verifying)
    if (doubt !== undefined) return doubt
  }
  return undefined
}

function doubtOfScheme(scheme: VerifyScheme, verifying: Verifying): Doubt {
  const { inbound, payload, secrets } = verifying
  if ('hmac' in scheme) return checkHmac(scheme, verifying)
  if ('digest' in scheme) return checkDigest(scheme, inbound)
  if ('refetch' in scheme) return undefined
  if ('polled' in scheme || 'subscribed' in scheme) return 'nothing is taken here'
  if ('form' in scheme) return 'a form proves nothing'
  if ('bearer' in scheme)
    return equals('the bearer token', bearerOf(inbound.headers['authorization']), secrets(scheme.bearer))
  if ('basic' in scheme) return checkBasic(scheme.basic, verifying)
  if ('query' in scheme)
    return equals(
      `the parameter ${scheme.query}`,
      parameterOf(inbound.url, scheme.query),
      secrets(scheme.secret),
    )
  if ('header' in scheme)
    return equals(`the header ${scheme.header}`, inbound.headers[scheme.header], secrets(scheme.secret))
  const items = scheme.each === undefined ? [payload] : itemsAt(payload, scheme.each)
  if (items.length === 0) return `there is nothing at ${scheme.each}`
  for (const item of items) {
    const doubt = equals(`the field ${scheme.field}`, valueAt(scheme.field, item), secrets(scheme.secret))
    if (doubt !== undefined) return doubt
  }
  return undefined
}

function checkBasic(
  { user, password }: { readonly user: string; readonly password: string },
  { inbound, secrets }: Verifying,
): Doubt {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]{1,1000})$/i.exec(inbound.headers['authorization'] ?? '') ?? []
  const text = encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text?.indexOf(':') ?? -1
  if (text === undefined || colon < 0) return 'there are no basic credentials'
  return (
    equals('the user', text.slice(0, colon), secrets(user)) ??
    equals('the password', text.slice(colon + 1), secrets(password))
  )
}

function equals(what: string, given: unknown, secrets: readonly string[]): Doubt {
  if (secrets.length === 0) return `${what} cannot be compared: the secret is not set`
  if (typeof given !== 'string') return `${what} is missing`
  return secrets.some((secret) => isEqual(given, secret)) ? undefined : `${what} is another one`
}

function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer (\S{1,1000})$/i.exec(header ?? '')?.[1]
}

function parameterOf(url: string, name: string): string | undefined {
  return new URL(url).searchParams.get(name) ?? undefined
}
