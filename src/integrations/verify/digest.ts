/** A header that states the digest of the body. */
import { createHash } from 'node:crypto'
import type { DigestScheme } from '../definition/verify-schema.ts'
import { isEqual } from './equal.ts'
import type { Doubt, Inbound } from './inbound.ts'

export function checkDigest(scheme: DigestScheme, { headers, body }: Inbound): Doubt {
  const { header } = scheme.from
  const stated = headers[header]
  if (stated === undefined) return `the header ${header} is missing`
  const computed = createHash(scheme.digest).update(body).digest(scheme.encoding)
  return isEqual(stated, `${scheme.prefix ?? ''}${computed}`)
    ? undefined
    : `the header ${header} is not the digest of the body`
}
