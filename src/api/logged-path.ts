/**
 * A request's path as the log may hold it: the route's own words, names of objects, and Keys, which are opaque. Whatever
 * else stands in a path is the client's, and often about somebody (`/tenant/by/Email/ada@example.com`) or put there by
 * mistake: of that the log has the place only.
 */
import type { Request } from 'express'
import { objectOfKey } from '../domain/key.ts'

/** The parts of paths that are the service's own: those of objects and areas among them. */
export type IsKnown = (segment: string) => boolean

export function knownSegments(names: Iterable<string>): IsKnown {
  const known = new Set(['api', 'v1', 'docs', 'metrics', ...names])
  return (segment) => known.has(segment)
}

/** `/api/v1/tenant/by/:field/:value`; where no route has been found, `/api/v1/tenant/…/…/…`. */
export function loggedPath({ originalUrl, route }: Request, isKnown: IsKnown): string {
  const segments = segmentsOf(originalUrl.replace(/[?#].*$/s, '').slice(0, MOST_CHARACTERS))
  const pattern = segmentsOf((route as { readonly path?: unknown } | undefined)?.path)
  // A route is the end of the path: what stands before it is where its router is.
  const start = segments.length - pattern.length
  return segments
    .map((segment, index) => {
      const word = pattern[index - start]
      if (word === segment || isKnown(segment) || objectOfKey(segment) !== undefined) return `/${segment}`
      return word?.startsWith(':') ? `/${word}` : '/…'
    })
    .join('')
}

const MOST_CHARACTERS = 1_000

function segmentsOf(path: unknown): string[] {
  return typeof path === 'string' ? path.split('/').filter((segment) => segment !== '') : []
}
