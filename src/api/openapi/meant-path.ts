/** The path that was probably meant by one that leads nowhere: `…/histroy`, `/contract` without `/api/v1`. */
import type { ErrorRequestHandler } from 'express'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { NotFound } from '../../domain/errors.ts'
import { closestName } from '../../domain/filter/closest-name.ts'
import type { Area } from '../area.ts'
import { historyPaths } from '../history/openapi/history-paths.ts'
import { exportPaths } from '../records/openapi/export-paths.ts'
import { healthPaths } from './openapi.ts'
import { NoSuchObject } from '../records/named-object.ts'
import { objectPaths } from '../records/openapi/object-paths.ts'

/** The path as it is with one segment written otherwise, or below `/api/v1`; undefined when none is near. */
export type MeantPath = (path: string) => string | undefined

const BASE = '/api/v1'
/** Of no area. */
const OWN_PATHS = [...Object.keys(healthPaths), '/api/v1/openapi.json']
/** Outside the API. */
const PAGES = ['/docs', '/console', '/metrics']
/** Longer paths are of nobody who made a slip. */
const LONGEST = 300

/** @param below the described paths that may be meant by one that begins with this segment */
export function meantPaths(base: string, below: (segment: string) => readonly string[]): MeantPath {
  return (path) => {
    if (path.length > LONGEST) return undefined
    const inside = path.startsWith(`${base}/`) ? path : base + path.replace(/^\/(api|v1|api\/v1)(?=\/)/, '')
    const segments = inside.slice(base.length + 1).split('/')
    const described = below(segments[0] ?? '').map((one) => one.slice(base.length + 1).split('/'))
    const near = described.flatMap((template) => nearTo(segments, template))
    const meant = near.sort((one, other) => one.changed - other.changed)[0]
    return meant && `${base}/${meant.path}` !== path ? `${base}/${meant.path}` : undefined
  }
}

/** Of the API: what its areas and objects describe. An object's paths are made when they are first asked for. */
export function meantPathsOf(definitions: Definitions, areas: readonly Area[]): MeantPath {
  const ofAreas = new Map(areas.map(({ segment, openapi }) => [segment, Object.keys(openapi.paths)]))
  const ofAll = [...ofAreas.values(), OWN_PATHS].flat()
  const ofObjects = new Map<ObjectDefinition, readonly string[]>()
  const pathsOf = (definition: ObjectDefinition): readonly string[] =>
    [objectPaths, historyPaths, exportPaths].flatMap((make) => Object.keys(make(definition, definitions)))
  const inside = meantPaths(BASE, (segment) => {
    const definition = definitions.get(segment)
    if (!definition || definition.internal) return ofAreas.get(segment) ?? ofAll
    const made = ofObjects.get(definition) ?? pathsOf(definition)
    ofObjects.set(definition, made)
    return made
  })
  return (path) => inside(path) ?? closestName(path.replace(/^\/api\/v1(?=\/)/, ''), PAGES)
}

/** Where a path names no object, and none is near, says which route of the service was probably meant. */
export const meantRoute =
  (meant: MeantPath): ErrorRequestHandler =>
  (error: unknown, request, _response, next) => {
    const other = error instanceof NoSuchObject && !error.hasNear ? meant(request.path) : undefined
    next(
      other === undefined
        ? error
        : new NotFound(`there is no ${request.method} ${request.path.slice(0, 200)}; did you mean ${other}?`),
    )
  }

/** Other words for a segment. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  history: ['audit', 'changes', 'versions', 'revisions', 'log'],
  companies: ['company'],
}

/** The path, where it differs from the template in at most one segment, and that the first may be left out (`/users`). */
function nearTo(segments: readonly string[], template: readonly string[]) {
  const [first, second] = template
  const isShort = segments.length === template.length - 1 && second !== undefined && !isOpen(second)
  if (segments.length !== template.length && !isShort) return within(segments, template)
  const whole = isShort ? [first!, ...segments] : segments
  const others = whole.filter((segment, index) => segment !== template[index] && !isOpen(template[index]!))
  if (others.length > 1) return []
  const meant = whole.map((segment, index) => {
    const wanted = template[index]!
    const isMeant = segment === wanted || isOpen(wanted)
    return isMeant ? segment : ALSO[wanted]?.includes(segment) ? wanted : closestName(segment, [wanted])
  })
  if (meant.includes(undefined)) return []
  return [{ path: meant.join('/'), changed: others.length + (isShort ? 1 : 0) }]
}

/** The template, where it ends as the path does and has more on the way: `identity/users/{key}/sessions`. */
function within(segments: readonly string[], template: readonly string[]) {
  if (segments.length < 2 || template.length < segments.length || segments.at(-1) !== template.at(-1))
    return []
  let at = 0
  for (const one of template) if (one === segments[at]) at++
  return at === segments.length ? [{ path: template.join('/'), changed: template.length }] : []
}

const isOpen = (segment: string) => segment.startsWith('{')
