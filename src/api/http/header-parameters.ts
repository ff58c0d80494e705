/**
 * Headers that may be sent as query parameters too: pages of another origin can send two headers only
 * (docs/interface.md#cross-origin-headers). The rules are those of the header; given both ways, they must say the same.
 */
import type { Request } from 'express'
import { unescape } from 'node:querystring'
import { invalid } from '../../domain/errors.ts'

const HEADERS = {
  idempotencyKey: 'Idempotency-Key',
  ifMatch: 'If-Match',
  atLeast: 'Daybook-At-Least',
  reason: 'Daybook-Reason',
} as const

export type HeaderParameter = keyof typeof HEADERS

/** What a write takes; one that is about a version of a record takes `ifMatch` as well. */
export const WRITES: readonly HeaderParameter[] = ['idempotencyKey', 'reason']
export const VERSIONED_WRITES: readonly HeaderParameter[] = [...WRITES, 'ifMatch']

/** What of a request is read here. */
export type Asking = Pick<Request, 'headers'> & Partial<Pick<Request, 'url' | 'query'>>

export interface SentValue {
  /** The header or parameter that it came in, for messages. */
  readonly name: string
  readonly value: string
}

/**
 * What was sent in the header or in the parameter.
 * @param decode makes of the header's text what the parameter would say
 * @throws Invalid when both were sent and differ, or the parameter was given more than once
 */
export function sentValue(
  { headers, url = '', query }: Asking,
  name: HeaderParameter,
  decode = (text: string) => text,
): SentValue | undefined {
  const header = headers[HEADERS[name].toLowerCase()] as string | undefined
  // The query is parsed each time it is asked for: only where the name, perhaps percent-encoded, is in it.
  const parameter = url.includes(name) || url.includes('%') ? (query?.[name] as unknown) : undefined
  if (parameter === undefined)
    return header === undefined ? undefined : { name: HEADERS[name], value: decode(header) }
  if (typeof parameter !== 'string') throw invalid(name, 'was given more than once')
  if (header !== undefined && decode(header) !== parameter)
    throw invalid(name, `is not what the header ${HEADERS[name]} says; send one of them`)
  return { name, value: parameter }
}

/** The URL without these parameters: a request is the same however it sends them. */
export function withoutHeaderParameters(url: string): string {
  const [path = '', query] = url.split(/\?(.*)/s)
  if (query === undefined) return url
  const parts = query.split('&')
  const others = parts.filter((part) => !Object.hasOwn(HEADERS, unescape(part.split('=')[0]!)))
  if (others.length === parts.length) return url
  return others.length > 0 ? `${path}?${others.join('&')}` : path
}
