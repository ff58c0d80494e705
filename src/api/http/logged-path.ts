/**
 * A request's path as the log, and numbers, may hold it: the route's own words, names of objects, and Keys, which are
 * opaque. Whatever else stands in a path is the client's, and often about somebody (`/tenant/by/Email/ada@example.com`) or
 * put there by mistake: of that the log has the place only.
 */
import type { Request } from 'express'
import { objectOfKey } from '../../domain/records/key.ts'

/** The parts of paths that are the service's own: those of objects and areas among them. */
export type IsKnown = (segment: string) => boolean

export function knownSegments(names: Iterable<string>): IsKnown {
  const known = new Set(['api', 'v1', 'docs', 'metrics', ...names])
  return (segment) => known.has(segment)
}

/** `/api/v1/tenant/by/:field/:value`; where no route has been found, `/api/v1/tenant/…/…/…`. */
export function loggedPath({ originalUrl, route }: Request, isKnown: IsKnown): string {
  const segments = segmentsOf(pathIn(originalUrl))
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

/**
 * The pattern of the route that took the request, from the root: `/api/v1/:object/:key`; undefined when none did. Express
 * forgets where a router is once it has failed; what stands before the pattern is that.
 */
export function routeOf({ originalUrl, baseUrl, route }: Request, isKnown: IsKnown): string | undefined {
  const pattern = (route as { readonly path?: unknown } | undefined)?.path
  if (typeof pattern !== 'string') return undefined
  if (baseUrl !== '') return baseUrl + pattern
  const segments = segmentsOf(pathIn(originalUrl))
  const before = segments.slice(0, Math.max(0, segments.length - segmentsOf(pattern).length))
  return before.every(isKnown) ? [...before.map((segment) => `/${segment}`), pattern].join('') : pattern
}

const MOST_CHARACTERS = 1_000

function pathIn(url: string): string {
  return url.slice(0, MOST_CHARACTERS).replace(/[?#].*$/s, '')
}

function segmentsOf(path: unknown): string[] {
  return typeof path === 'string' ? path.split('/').filter((segment) => segment !== '') : []
}
