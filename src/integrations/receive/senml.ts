/**
 * Sensor Measurement Lists (RFC 8428) in JSON: base values resolved, relative times made absolute. What comes out is plain JSON, for the
 * mapping of an integration to read.
 */
import { isObject, type Fields, type Json } from '../../domain/json.ts'

/** Times before this many seconds count from now: the standard's 2^28. */
const ABSOLUTE = 2 ** 28
const VERSION = 10
const LATEST = 253_402_300_799
const NAME = /^[A-Za-z0-9][A-Za-z0-9\-:./_]*$/
const BASE = ['bn', 'bt', 'bu', 'bv', 'bs', 'bver'] as const
const VALUES = ['v', 'vs', 'vb', 'vd'] as const
/** More are not one message. */
export const MOST_RECORDS = 10_000

/** What a record of the list comes to. */
export type Resolved = {
  /** The whole name. */
  readonly name: string
  /** The base name without its last separator, where the record has a name of its own; else the whole name. */
  readonly device: string
  /** The record's own name; null where it has none. */
  readonly measure: string | null
  readonly unit: string | null
  /** A number, or 1 and 0 for true and false; null where the record has a text, data or a sum only. */
  readonly value: number | null
  readonly text: string | null
  readonly sum: number | null
  /** ISO 8601 UTC. */
  readonly time: string
}

interface Base {
  readonly name: string
  readonly time: number
  readonly unit: string | undefined
  readonly value: number
  readonly sum: number
}

/**
 * `{ readings, others }`: records with a number or a truth value, and those without.
 * @param now in ms since 1970, of the receipt
 * @returns undefined for what is not such a list, or needs what this reader does not know
 */
export function resolveSenml(list: Json, now: number): Json | undefined {
  if (!Array.isArray(list) || list.length === 0 || list.length > MOST_RECORDS) return undefined
  let base: Base = { name: '', time: 0, unit: undefined, value: 0, sum: 0 }
  const readings: Resolved[] = []
  const others: Resolved[] = []
  for (const record of list as readonly Json[]) {
    if (!isObject(record) || !isUnderstood(record)) return undefined
    base = nextBase(base, record)
    const given = VALUES.filter((name) => Object.hasOwn(record, name))
    if (given.length > 1) return undefined
    // A record of base values only.
    if (given.length === 0 && !Object.hasOwn(record, 's') && !Object.hasOwn(record, 'n')) continue
    const resolved = resolvedOf(base, record, now)
    if (!resolved) return undefined
    if (resolved.value === null) others.push(resolved)
    else readings.push(resolved)
  }
  return { readings, others }
}

/** Members whose name ends with `_` must be understood, and none is known here. */
function isUnderstood(record: Fields): boolean {
  if (Object.keys(record).some((name) => name.endsWith('_'))) return false
  const isOf = (names: readonly string[], type: string) =>
    names.every((name) => !Object.hasOwn(record, name) || typeof record[name] === type)
  const { bver = VERSION } = record
  if (typeof bver !== 'number' || bver > VERSION) return false
  return (
    isOf(['bn', 'bu', 'n', 'u', 'vs', 'vd'], 'string') &&
    isOf(['bt', 'bv', 'bs', 't', 'v', 's', 'ut'], 'number') &&
    isOf(['vb'], 'boolean')
  )
}

function nextBase(before: Base, record: Fields): Base {
  if (!BASE.some((name) => Object.hasOwn(record, name))) return before
  const { bn, bt, bu, bv, bs } = record as {
    readonly bn?: string
    readonly bt?: number
    readonly bu?: string
    readonly bv?: number
    readonly bs?: number
  }
  return {
    name: bn ?? before.name,
    time: bt ?? before.time,
    unit: bu ?? before.unit,
    value: bv ?? before.value,
    sum: bs ?? before.sum,
  }
}

function resolvedOf(base: Base, record: Fields, now: number): Resolved | undefined {
  const {
    n = '',
    t = 0,
    u,
    v,
    vb,
    vs,
    vd,
    s,
  } = record as {
    readonly n?: string
    readonly t?: number
    readonly u?: string
    readonly v?: number
    readonly vb?: boolean
    readonly vs?: string
    readonly vd?: string
    readonly s?: number
  }
  const name = base.name + n
  const time = timeOf(base.time + t, now)
  if (!NAME.test(name) || time === undefined) return undefined
  const isPart = n !== '' && base.name !== ''
  return {
    name,
    device: isPart ? base.name.replace(/[-:./_]+$/, '') : name,
    measure: isPart ? n : null,
    unit: u ?? base.unit ?? null,
    value: v !== undefined ? base.value + v : vb !== undefined ? Number(vb) : null,
    text: vs ?? vd ?? null,
    sum: s === undefined ? null : base.sum + s,
    time,
  }
}

function timeOf(seconds: number, now: number): string | undefined {
  const absolute = seconds < ABSOLUTE ? now / 1_000 + seconds : seconds
  if (absolute < 0 || absolute > LATEST) return undefined
  return new Date(Math.round(absolute * 1_000)).toISOString()
}
