/** The path that was probably meant by one that leads nowhere: `…/histroy`, `/contract` without `/api/v1`. */
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { closestName } from '../../domain/filter/closest-name.ts'
import type { Area } from '../area.ts'
import { historyPaths } from '../history/openapi/history-paths.ts'
import { exportPaths } from '../records/openapi/export-paths.ts'
import { objectPaths } from '../records/openapi/object-paths.ts'

/** The path as it is with one segment written otherwise, or below `/api/v1`; undefined when none is near. */
export type MeantPath = (path: string) => string | undefined

const BASE = '/api/v1'
/** Longer paths are of nobody who made a slip. */
const LONGEST = 300

/** @param below the described paths below a first segment; none for one that is unknown */
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
  const ofObjects = new Map<ObjectDefinition, readonly string[]>()
  const pathsOf = (definition: ObjectDefinition): readonly string[] =>
    [objectPaths, historyPaths, exportPaths].flatMap((make) => Object.keys(make(definition, definitions)))
  return meantPaths(BASE, (segment) => {
    const definition = definitions.get(segment)
    if (!definition || definition.internal) return ofAreas.get(segment) ?? []
    const made = ofObjects.get(definition) ?? pathsOf(definition)
    ofObjects.set(definition, made)
    return made
  })
}

/** The path, where it differs from the template in at most one segment. */
function nearTo(segments: readonly string[], template: readonly string[]) {
  if (segments.length !== template.length) return []
  const meant = segments.map((segment, index) => {
    const wanted = template[index]!
    return segment === wanted || wanted.startsWith('{') ? segment : closestName(segment, [wanted])
  })
  if (meant.includes(undefined)) return []
  const changed = meant.filter((segment, index) => segment !== segments[index]).length
  return changed > 1 ? [] : [{ path: meant.join('/'), changed }]
}
