/**
 * Records as a batch of steps leaves them: read once, changed in memory, then written by `write-changes.ts`.
 *
 * An event at or before a record's own position has been applied to it by an earlier, unfinished try, and is passed
 * over for that record.
 */
import { targetOf, type Definitions, type ObjectDefinition } from '../../../domain/definition.ts'
import { creationOrder } from '../../../domain/events/packs.ts'
import { fieldsOfDocument, recordDocument } from '../../../domain/records/document.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import type { Fields, Json } from '../../../domain/json.ts'
import { isFoundByOthers } from '../../../domain/search/searched-text.ts'
import { mergeFields } from '../../../domain/records/record.ts'
import type { Operation } from '../../../ports/projection-store.ts'
import type { Connection } from '../connection.ts'
import { documentId, shadowsOf, wordsOf, type RecordDocument } from './record-document.ts'

/** An operation with the position of its event. */
export interface Placed {
  readonly position: Position
  readonly operation: Operation
}

/** A record's document before and after the batch. */
export interface RecordChange {
  readonly object: string
  readonly before: RecordDocument | undefined
  readonly after: RecordDocument
}

/** A record whose display field changed. */
export interface Renamed {
  readonly company: Company
  readonly object: string
  readonly key: string
  /** Of the last event that did. */
  readonly position: Position
  /** How far the events must be applied before others show it; absent: that far they are. */
  readonly after?: Position
}

export interface Changes {
  readonly changed: readonly RecordChange[]
  readonly renamed: readonly Renamed[]
}

export interface ChangesOf {
  readonly connection: Connection
  readonly definitions: Definitions
  /** In the order of their events. */
  readonly operations: readonly Placed[]
}

interface Working {
  readonly company: Company
  readonly definition: ObjectDefinition
  readonly key: string
  readonly before: RecordDocument | undefined
  current?: {
    n: number
    live: boolean
    version: number
    position: Position
    fields: Fields
    createdAt: string
    modifiedAt: string
  }
  isChanged: boolean
  isToBeIndexed: boolean
}

const FIND = 1_000

/** @throws Error for an operation on a record that is not there: an event that cannot be understood */
export async function changesOf({ connection, definitions, operations }: ChangesOf): Promise<Changes> {
  const records = await readRecords(connection, definitions, operations)
  const renamed = new Map<string, Renamed>()
  for (const { position, operation } of operations) {
    const { op, company, object, key } = operation
    const record = records.get(documentId(company, key))!
    if (op !== 'put' && !record.current) throw new Error(`${op} of ${key}, which is not there`)
    if (op === 'index') record.isToBeIndexed = true
    else if (op === 'fanOut') renamed.set(documentId(company, key), { company, object, key, position })
    else if (position > (record.before?.position ?? 0)) change(record, operation, position)
  }
  const displayOf = await readDisplays(connection, definitions, records)
  const changed: RecordChange[] = []
  for (const record of records.values())
    if (record.isChanged || record.isToBeIndexed) changed.push(changeOf(record, definitions, displayOf))
  return { changed, renamed: [...renamed.values()] }
}

async function readRecords(
  connection: Connection,
  definitions: Definitions,
  operations: readonly Placed[],
): Promise<Map<string, Working>> {
  const wanted = new Map<string, Map<string, { company: Company; key: string }>>()
  for (const { operation } of operations) {
    const { company, object, key } = operation
    const ids = wanted.get(object) ?? new Map<string, { company: Company; key: string }>()
    wanted.set(object, ids.set(documentId(company, key), { company, key }))
  }
  const records = new Map<string, Working>()
  for (const [object, ids] of wanted) {
    const definition = definitions.get(object)
    if (!definition) throw new Error(`there is no definition of the object ${object}`)
    const found = await findAll(connection, object, [...ids.keys()])
    for (const [id, { company, key }] of ids) {
      const before = found.get(id)
      const current = before && currentOf(definition, before)
      const state = { isChanged: false, isToBeIndexed: false }
      records.set(id, { company, definition, key, before, ...(current && { current }), ...state })
    }
  }
  return records
}

function currentOf(definition: ObjectDefinition, before: RecordDocument): NonNullable<Working['current']> {
  const served = JSON.parse(before.json) as Fields
  const { n, live, version, position } = before
  const fields = fieldsOfDocument(definition, served)
  const [createdAt, modifiedAt] = [served['CreatedAt'] as string, served['ModifiedAt'] as string]
  return { n, live, version, position, fields, createdAt, modifiedAt }
}

function change(
  record: Working,
  operation: Exclude<Operation, { op: 'index' | 'fanOut' }>,
  position: Position,
): void {
  const { current } = record
  if (operation.op === 'put') {
    if (current) return
    const { version, fields, createdAt, modifiedAt } = operation
    const n = creationOrder(record.definition, record.key, position)
    record.current = { n, live: true, version, position, fields, createdAt, modifiedAt }
  } else {
    current!.version = operation.version
    current!.position = position
    if (operation.op !== 'merge') current!.live = operation.op === 'restore'
    else current!.fields = mergeFields(current!.fields, operation.fields)
    if (operation.op !== 'remove') current!.modifiedAt = operation.modifiedAt
  }
  record.isChanged = true
}

type DisplayOf = (company: Company, object: string, key: string) => Json

/** What lookups of the changed records show, other companies' records aside. */
async function readDisplays(
  connection: Connection,
  definitions: Definitions,
  records: ReadonlyMap<string, Working>,
): Promise<DisplayOf> {
  const wanted = new Map<string, Set<string>>()
  for (const { company, definition, current, isChanged } of records.values()) {
    if (!isChanged || !current) continue
    for (const field of definition.fields) {
      const key = field.type === 'lookup' ? current.fields[field.name] : undefined
      if (typeof key !== 'string' || records.has(documentId(company, key))) continue
      const { object } = targetOf(definitions, field)
      wanted.set(object, (wanted.get(object) ?? new Set()).add(documentId(company, key)))
    }
  }
  const displays = new Map<string, Json>()
  for (const [object, ids] of wanted) {
    const display = definitions.get(object)!.display
    const found = await findAll(connection, object, [...ids], `values.${display}`)
    for (const [id, { values }] of found) displays.set(id, (values[display] as Json | undefined) ?? null)
  }
  return (company, object, key) => {
    const id = documentId(company, key)
    const record = records.get(id)
    if (!record) return displays.get(id) ?? null
    return record.current?.fields[definitions.get(object)?.display ?? ''] ?? null
  }
}

/** By id. With `location` only that much of each document. */
async function findAll(
  connection: Connection,
  object: string,
  ids: readonly string[],
  location?: string,
): Promise<Map<string, RecordDocument>> {
  const found = new Map<string, RecordDocument>()
  const projection = location ? { [location]: 1 } : { values: 0, folded: 0 }
  for (let start = 0; start < ids.length; start += FIND) {
    const chunk = ids.slice(start, start + FIND)
    const where = { _id: chunk.length === 1 ? chunk[0]! : { $in: chunk } }
    for await (const document of connection.records(object).find(where, { projection }))
      found.set(document._id, document)
  }
  return found
}

function changeOf(record: Working, definitions: Definitions, displayOf: DisplayOf): RecordChange {
  const { company, definition, key, before } = record
  const { n, live, version, position, fields, createdAt, modifiedAt } = record.current!
  const served =
    record.isChanged || !before
      ? recordDocument({
          definition,
          definitions,
          key,
          fields,
          createdAt,
          modifiedAt,
          displayOf: (object, target) => displayOf(company, object, target),
        })
      : (JSON.parse(before.json) as Fields)
  // What others were renamed to meanwhile is shown from here on: nobody comes by again for the words of it.
  const isToBeIndexed =
    record.isToBeIndexed || (record.isChanged && before?.words && isFoundByOthers(definition))
  const words = isToBeIndexed ? (live ? wordsOf(definition, served) : []) : before?.words
  return {
    object: definition.object,
    before,
    after: {
      _id: documentId(company, key),
      company,
      key,
      live,
      n,
      version,
      position,
      revision: (before?.revision ?? 0) + 1,
      ...shadowsOf(definition, served),
      ...(words && { words }),
      ...(!isToBeIndexed && before?.isPutAside && { isPutAside: true }),
    },
  }
}
