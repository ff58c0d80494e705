/**
 * Reads as much of a file as can be understood, so that all its faults are found at once: what has no valid shape is taken out
 * or stands for something else, and what rests on it is not blamed.
 */
import type { z } from 'zod'
import { readShape, type FoundFault } from './shape-faults.ts'

type Path = readonly PropertyKey[]
type Container = Record<PropertyKey, unknown>

/** What may stand where a value is missing, and how much of the file cannot be relied on then. */
export type StandIn = (
  path: Path,
  draft: unknown,
) => { readonly value: unknown; readonly doubt: readonly Path[] } | undefined

/** Of paths such as `roles.*.Name`, where `*` is any place of a list. */
export function standIns(values: Readonly<Record<string, unknown>>): StandIn {
  return (path) => {
    const pattern = path.map((step) => (typeof step === 'number' ? '*' : String(step))).join('.')
    return pattern in values ? { value: structuredClone(values[pattern]), doubt: [path] } : undefined
  }
}

export interface Repaired<T> {
  /** Undefined where not enough is left. */
  readonly data?: T
  readonly faults: readonly FoundFault[]
  /** What was taken out, by its place in the file. */
  readonly lost: readonly Path[]
  /** The place in the file of something in `data`. */
  original(path: Path): Path
}

const ROUNDS = 500

export function readRepaired<T>(
  schema: z.ZodType<T>,
  json: unknown,
  standIn: StandIn = () => undefined,
): Repaired<T> {
  const draft = structuredClone(json)
  const moves: Moves = { kept: new WeakMap(), renamed: new WeakMap() }
  const faults: FoundFault[] = []
  const seen = new Set<string>()
  const lost: Path[] = []
  const original = (path: Path) => originalPath(draft, path, moves)
  const note = ({ path, reason, ...more }: FoundFault) => {
    const place = original(path)
    const key = JSON.stringify([place, reason])
    if (seen.has(key) || restsOn(place, lost)) return
    seen.add(key)
    faults.push({ path: place, reason, ...more })
  }
  for (let round = 0; round < ROUNDS; round++) {
    const read = readShape(schema, draft)
    if ('data' in read) return { data: read.data, faults, lost, original }
    read.faults.forEach(note)
    if (!repair(draft, read.faults[0]!)) break
  }
  return { faults, lost, original }

  /** Whether something was done about it. */
  function repair(root: unknown, { path, meant }: FoundFault): boolean {
    if (path.length === 0) return false
    const container = at(root, path.slice(0, -1)) as Container
    const key = path.at(-1)!
    if (container[key] === undefined) {
      const standing = standIn(path, root)
      if (!standing) return repair(root, { path: path.slice(0, -1), reason: '' })
      lost.push(...standing.doubt.map(original))
      container[key] = standing.value
      return true
    }
    if (meant !== undefined) {
      container[meant] = container[key]
      moves.renamed.set(container, new Map(moves.renamed.get(container)).set(meant, key))
      return delete container[key]
    }
    lost.push(original(path))
    if (!Array.isArray(container)) return delete container[key]
    const places = moves.kept.get(container) ?? container.map((_, index) => index)
    places.splice(Number(key), 1)
    moves.kept.set(container, places)
    container.splice(Number(key), 1)
    return true
  }
}

/** Whether what is at the place, or a part of it, was taken out. */
export function restsOn(place: Path, lost: readonly Path[]): boolean {
  return lost.some((one) => isWithin(place, one) || isWithin(one, place))
}

/** Whether a path leads to the other's place, or further in. */
export function isWithin(path: Path, other: Path): boolean {
  return other.length <= path.length && other.every((step, index) => step === path[index])
}

function at(root: unknown, path: Path): unknown {
  return path.reduce((value, step) => (value as Container)[step], root)
}

/** Where the parts of a draft are in the file. */
interface Moves {
  /** Of a list, the places of what is left of it. */
  readonly kept: WeakMap<object, number[]>
  /** Of an object, the keys in the file for those that were meant. */
  readonly renamed: WeakMap<object, ReadonlyMap<PropertyKey, PropertyKey>>
}

function originalPath(draft: unknown, path: Path, { kept, renamed }: Moves): Path {
  let value = draft
  return path.map((step) => {
    if (typeof value !== 'object' || value === null) return step
    const place = kept.get(value)?.[Number(step)] ?? renamed.get(value)?.get(step) ?? step
    value = (value as Container)[step]
    return place
  })
}
