/** Versions in headers: `ETag: "<version>"`, `If-Match`, `If-None-Match` (RFC 9110). */
import type { IncomingMessage } from 'node:http'
import { invalid } from '../../domain/errors.ts'
import { sentValue, type Asking } from './header-parameters.ts'
import type { ExpectedVersion } from '../../commands/support/expected-version.ts'

export function etagOf(version: number): string {
  return `"${version}"`
}

const ENTITY_TAG = /^(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"$/

/**
 * The versions that a write accepts; undefined without the header and the parameter. A weak or foreign tag is a version
 * that is never current.
 * @throws Invalid when it is malformed
 */
export function ifMatch(request: Asking): ExpectedVersion | undefined {
  const sent = sentValue(request, 'ifMatch')
  if (sent === undefined) return undefined
  if (sent.value.trim() === '*') return 'any'
  return tagsOf(sent.name, sent.value).map(({ weak, tag }) =>
    !weak && /^[1-9]\d{0,15}$/.test(tag) ? Number(tag) : -1,
  )
}

/**
 * The versions that a change of what is there accepts; as `ifMatch`.
 * @throws Invalid also for `If-None-Match`, which a change could never meet, or always would
 */
export function expectedVersion(request: Asking): ExpectedVersion | undefined {
  if (request.headers['if-none-match'] !== undefined)
    throw invalid('If-None-Match', 'is for reads, and for PUT of what may be new; a change takes If-Match')
  return ifMatch(request)
}

/**
 * Whether a write is for what is not there yet: `If-None-Match: *`.
 * @throws Invalid when it names a version
 */
export function onlyIfNew({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  const header = headers['if-none-match']
  if (header === undefined || header.trim() === '*') return header !== undefined
  throw invalid('If-None-Match', 'must be * here: create it, if it is not there')
}

/** Whether the client has this version already. A malformed header is passed over, as reads may. */
export function matchesNone(header: string | undefined, version: number): boolean {
  if (header === undefined) return true
  if (header.trim() === '*') return false
  return !header.split(',').some((part) => ENTITY_TAG.exec(part.trim())?.[2] === String(version))
}

function tagsOf(name: string, header: string) {
  return header.split(',').map((part) => {
    const match = ENTITY_TAG.exec(part.trim())
    if (!match) throw invalid(name, `must be a list of entity tags such as "3", or *`)
    return { weak: match[1] !== undefined, tag: match[2] ?? '' }
  })
}
