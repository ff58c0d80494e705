/**
 * What happens to the records of a company, told to a read side step by step as the projections would, and remembered:
 * so that a test can say what a record must look like now without asking the read side.
 */
import { randomBytes } from 'node:crypto'
import type { Definitions, ObjectDefinition } from '../../../src/domain/definition.ts'
import { recordDocument } from '../../../src/domain/records/document.ts'
import type { Company, Position } from '../../../src/domain/events/event.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { keyOf, objectOfKey, uuid7 } from '../../../src/domain/records/key.ts'
import { mergeFields } from '../../../src/domain/records/record.ts'
import type { Operation, ProjectionStore, Step } from '../../../src/ports/projection-store.ts'
import type { Resolve } from '../../../src/domain/filter/evaluate.ts'

/** Positions and times of one read side, shared by its companies. They grow with gaps. */
export interface Timeline {
  next(): { readonly position: Position; readonly at: string }
  last(): Position
}

const BEGIN = Date.UTC(2026, 0, 31, 10)

export function timeline(): Timeline {
  let count = 0
  const positionOf = (count: number) => count * 3
  return {
    next() {
      count++
      // Two events in a second: times that are equal to the second are common.
      return { position: positionOf(count), at: new Date(BEGIN + count * 500).toISOString() }
    },
    last: () => positionOf(count),
  }
}

interface Told {
  readonly key: string
  readonly createdAt: string
  fields: Fields
  modifiedAt: string
  version: number
  isLive: boolean
}

/** The steps of one event for each projection. */
export interface TwoSteps {
  readonly records: Step
  readonly search: Step
}

export interface Tale {
  readonly company: Company
  /** Answers the new record's Key. */
  create(object: string, fields: Fields): string
  change(key: string, fields: Fields): void
  remove(key: string): void
  restore(key: string): void
  /** What happened since the last call, in order. */
  untold(): TwoSteps[]
  /** The version that the record is at. */
  versionOf(key: string): number
  /** The record as it must be served once all is told; also when it is deleted. */
  served(key: string): Fields
  /** All that are not deleted, in the order of creation. */
  live(object: string): Fields[]
  /** For the oracle: the record if it is not deleted. */
  readonly resolve: Resolve
}

export interface TaleOf {
  readonly definitions: Definitions
  readonly time: Timeline
  readonly company?: Company
}

let keys = 0

/** Keys in the order in which they are made, as the service makes them; never twice, whatever store they go to. */
export function nextKey(object: string): string {
  return keyOf(object, uuid7(BEGIN + ++keys, randomBytes(10)))
}

export function newCompany(): Company {
  return nextKey('company')
}

export function tale({ definitions, time, company = newCompany() }: TaleOf): Tale {
  const records = new Map<string, Told>()
  let steps: TwoSteps[] = []

  const definitionOf = (key: string): ObjectDefinition => {
    const definition = definitions.get(objectOfKey(key) ?? '')
    if (!definition) throw new Error(`no object of ${key}`)
    return definition
  }
  const recordOf = (key: string): Told => {
    const record = records.get(key)
    if (!record) throw new Error(`nothing was told of ${key}`)
    return record
  }
  const served = (key: string): Fields => {
    const { fields, createdAt, modifiedAt } = recordOf(key)
    return recordDocument({
      definition: definitionOf(key),
      definitions,
      key,
      fields,
      createdAt,
      modifiedAt,
      displayOf: (object, target) => records.get(target)?.fields[definitions.get(object)!.display] ?? null,
    })
  }
  /** As the projections do: a change of what is not searched indexes nothing. */
  const tell = (key: string, position: Position, operations: readonly Operation[], isSearched = true) => {
    const on = { company, object: objectOfKey(key)!, key }
    steps.push({
      records: { position, operations },
      search: { position, operations: isSearched ? [{ ...on, op: 'index' }] : [] },
    })
  }

  return {
    company,
    create(object, fields) {
      const { position, at } = time.next()
      const key = nextKey(object)
      records.set(key, { key, fields, createdAt: at, modifiedAt: at, version: 1, isLive: true })
      tell(key, position, [
        { op: 'put', company, object, key, version: 1, fields, createdAt: at, modifiedAt: at },
      ])
      return key
    },
    change(key, fields) {
      const { position, at } = time.next()
      const record = recordOf(key)
      const { object, display, fields: defined } = definitionOf(key)
      record.fields = mergeFields(record.fields, fields)
      record.modifiedAt = at
      const { version } = Object.assign(record, { version: record.version + 1 })
      const on = { company, object, key }
      const operations: Operation[] = [{ ...on, op: 'merge', version, fields, modifiedAt: at }]
      if (display in fields) operations.push({ ...on, op: 'fanOut' })
      const isSearched = defined.some(({ name, searchable }) => searchable && name in fields)
      tell(key, position, operations, isSearched)
    },
    remove(key) {
      const { position } = time.next()
      const record = Object.assign(recordOf(key), { isLive: false })
      record.version++
      tell(key, position, [
        { op: 'remove', company, object: definitionOf(key).object, key, version: record.version },
      ])
    },
    restore(key) {
      const { position, at } = time.next()
      const record = Object.assign(recordOf(key), { isLive: true, modifiedAt: at })
      record.version++
      const { object } = definitionOf(key)
      tell(key, position, [{ op: 'restore', company, object, key, version: record.version, modifiedAt: at }])
    },
    untold() {
      const told = steps
      steps = []
      return told
    },
    versionOf: (key) => recordOf(key).version,
    served,
    live: (object) =>
      [...records.values()]
        .filter(({ key, isLive }) => isLive && objectOfKey(key) === object)
        .map(({ key }) => served(key)),
    resolve: (_object, key) => (records.get(key)?.isLive ? served(key) : undefined),
  }
}

/** Applies steps to both projections, `size` events at a time. */
export async function applyAll(
  store: Pick<ProjectionStore, 'apply'>,
  steps: readonly TwoSteps[],
  size = steps.length,
): Promise<void> {
  for (let start = 0; start < steps.length; start += size) {
    const batch = steps.slice(start, start + size)
    await store.apply(
      [
        { projection: 'records', steps: batch.map(({ records }) => records) },
        { projection: 'search', steps: batch.map(({ search }) => search) },
      ],
      batch.at(-1)!.records.position,
    )
  }
}
