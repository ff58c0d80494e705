/**
 * The read models' file, as the projections write it. Synchronous inside; it lives in the engine thread.
 *
 * Operations and positions are one transaction. Fan-outs are remembered in the same transaction and then worked off in
 * small steps between other work, so that renaming a record that 100,000 others show holds up nobody.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Definitions, ObjectDefinition } from '../../../domain/definition.ts'
import { creationOrder } from '../../../domain/events/packs.ts'
import { fieldOf } from '../../../domain/definition.ts'
import { fieldsOfDocument, recordDocument } from '../../../domain/records/document.ts'
import type { Position } from '../../../domain/events/event.ts'
import type { Fields, Json } from '../../../domain/json.ts'
import { recentlyUsed } from '../../../domain/recently-used.ts'
import { mergeFields } from '../../../domain/records/record.ts'
import { isFoundByOthers } from '../../../domain/search/searched-text.ts'
import {
  refuseGap,
  type LastEvent,
  type Operation,
  type ProjectionStore,
} from '../../../ports/projection-store.ts'
import { applySteps } from './apply-steps.ts'
import { changeList } from './change-list.ts'
import { openCompanies } from './companies.ts'
import type { RecordChanges } from '../events/engine-messages.ts'
import { fanOuts } from './fan-outs.ts'
import { asUnavailable, prepareWrite, transaction } from '../files/open.ts'
import {
  createRecordTable,
  openRecordTable,
  recordIndexes,
  type RecordRow,
  type RecordTable,
} from './record-table.ts'
import { createTotals, openTotals } from './record-totals.ts'
import { createSearchTable, openSearchIndex, type SearchIndex } from './search/search-index.ts'

export interface SqliteProjectionStore extends ProjectionStore {
  readonly db: DatabaseSync
  /** What changed since the last call. */
  takeChanges(): RecordChanges
  /** Of each projection that has come across one: the last event that it covers. */
  lastEvents(): readonly LastEvent[]
}

export interface ProjectionStoreOptions {
  readonly db: DatabaseSync
  readonly definitions: Definitions
  /** Called when a step of a fan-out has changed records. */
  readonly onBackgroundChange?: () => void
  /**
   * The file is being built from nothing, and nobody reads it: indexes and search are left for the end of the build, which
   * makes them of the outcome at a fraction of the cost, and fan-outs for the thread that opens the file then.
   */
  readonly building?: boolean
}

interface ObjectTables {
  readonly definition: ObjectDefinition
  readonly records: RecordTable
  readonly search: SearchIndex
}

/** Longer names are read again: so many of them would take more memory than a thread has. */
const REMEMBERED_LENGTH = 100

export function sqliteProjectionStore({
  db,
  definitions,
  onBackgroundChange,
  building = false,
}: ProjectionStoreOptions): SqliteProjectionStore {
  transaction(db, () => {
    db.exec(
      `CREATE TABLE IF NOT EXISTS projections (name TEXT PRIMARY KEY, position INTEGER NOT NULL, last TEXT);`,
    )
    createTotals(db)
    for (const definition of definitions.values()) {
      createRecordTable(db, definitions, definition)
      if (!building) for (const create of recordIndexes(definitions, definition)) db.exec(create)
      createSearchTable(db, definition)
    }
  })
  const companies = openCompanies(db)
  const objects = new Map<string, ObjectTables>()
  for (const definition of definitions.values())
    objects.set(definition.object, {
      definition,
      records: openRecordTable(db, definitions, definition),
      search: openSearchIndex(db, definition),
    })

  const positionOf = db.prepare('SELECT position FROM projections WHERE name = ?')
  const setPosition = prepareWrite(
    db,
    `INSERT INTO projections VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET position = excluded.position, last = coalesce(excluded.last, last)`,
  )
  const lasts = db.prepare('SELECT last FROM projections WHERE last IS NOT NULL')
  const totals = openTotals(db)

  const changes = changeList()
  /** Rows that this transaction has written: what follows for the same record need not read them back. */
  const recent = new Map<string, RecordRow>()
  /** Display values by company and Key; entries go when their record changes. A build looks up all that there are. */
  const displays = recentlyUsed<Json>(building ? 400_000 : 20_000)

  const tablesOf = (object: string): ObjectTables => {
    const tables = objects.get(object)
    if (!tables) throw new Error(`there is no definition of the object ${object}`)
    return tables
  }

  const read = (object: string, company: number, key: string): RecordRow | undefined =>
    recent.get(`${company} ${key}`) ?? tablesOf(object).records.read(company, key)

  const displayIn =
    (company: number) =>
    (object: string, key: string): Json => {
      const id = `${company} ${key}`
      let display = displays.get(id)
      if (display === undefined) {
        const { definition, records } = tablesOf(object)
        const row = recent.get(id)
        display = row ? (row.document[definition.display] ?? null) : records.display(company, key)
        const { length } = typeof display === 'string' ? display : ''
        if (length <= REMEMBERED_LENGTH) displays.set(id, display)
      }
      return display
    }

  const keep = (company: number, key: string, row: RecordRow) => {
    recent.set(`${company} ${key}`, row)
    displays.delete(`${company} ${key}`)
  }

  const document = (
    definition: ObjectDefinition,
    company: number,
    key: string,
    fields: Fields,
    createdAt: string,
    modifiedAt: string,
  ) =>
    recordDocument({
      definition,
      definitions,
      key,
      fields,
      createdAt,
      modifiedAt,
      displayOf: displayIn(company),
    })

  const applyOne = (operation: Operation, position: Position): void => {
    const { object, key } = operation
    const { definition, records, search } = tablesOf(object)
    const company = companies.numberOf(operation.company)
    const note = (before: RecordRow | undefined, after: RecordRow) => {
      if (building) return // nobody has read what is changed
      changes.add(`${object} ${operation.company}`, after.n, {
        position,
        before: !before || before.deleted ? null : before.text,
        after: after.deleted ? null : after.text,
      })
    }
    if (operation.op === 'put') {
      const { version, fields, createdAt, modifiedAt } = operation
      const made = document(definition, company, key, fields, createdAt, modifiedAt)
      const n = creationOrder(definition, key, position)
      const row = { n, version, deleted: false, document: made, text: JSON.stringify(made) }
      if (!records.insert(company, row)) return
      // Rows that were left by an append-only definition come before all others.
      totals.grow(object, company, 1, n < 0 ? 1 : 0)
      keep(company, key, row)
      note(undefined, row)
      return
    }
    const before = read(object, company, key)
    if (!before) throw new Error(`${operation.op} of ${key}, which is not there`)
    if (operation.op === 'index') {
      if (building) return
      if (before.deleted) search.drop(before.n)
      else search.put(company, before.n, before.document)
      return
    }
    if (operation.op === 'fanOut') {
      renames.add(company, object, key)
      return
    }
    const after = changed(definition, company, before, operation)
    records.update(before, after)
    if (before.deleted !== after.deleted) totals.grow(object, company, after.deleted ? -1 : 1, 1)
    keep(company, key, after)
    note(before, after)
  }

  const changed = (
    definition: ObjectDefinition,
    company: number,
    before: RecordRow,
    operation: Extract<Operation, { op: 'merge' | 'remove' | 'restore' }>,
  ): RecordRow => {
    const { key, version } = operation
    if (operation.op === 'remove') return { ...before, version, deleted: true }
    const fields = fieldsOfDocument(definition, before.document)
    const merged = operation.op === 'merge' ? mergeFields(fields, operation.fields) : fields
    const createdAt = before.document['CreatedAt'] as string
    const made = document(definition, company, key, merged, createdAt, operation.modifiedAt)
    return { ...before, version, deleted: false, document: made, text: JSON.stringify(made) }
  }

  /** A record shows the present display values of its lookups. */
  const refresh = (object: string, company: number, row: RecordRow & { readonly key: string }): void => {
    const { definition, records, search } = tablesOf(object)
    const fields = fieldsOfDocument(definition, row.document)
    const { CreatedAt: createdAt, ModifiedAt: modifiedAt } = row.document as {
      CreatedAt: string
      ModifiedAt: string
    }
    const made = document(definition, company, row.key, fields, createdAt, modifiedAt)
    const after = { ...row, document: made, text: JSON.stringify(made) }
    records.update(row, after)
    if (isFoundByOthers(definition)) search.put(company, row.n, after.document)
    changes.shake(`${object} ${companies.nameOf(company)}`, row.n)
  }

  const renames = fanOuts({
    db,
    definitions,
    showing: (object, lookup, company, key, n, limit) =>
      tablesOf(object).records.showing(
        company,
        fieldOf(tablesOf(object).definition, lookup)!.name,
        key,
        n,
        limit,
      ),
    refresh,
    onStep: () => {
      recent.clear()
      onBackgroundChange?.()
    },
  })

  // What a process that died has left undone.
  if (!building) renames.workOff()

  const position = (projection: string): Position =>
    (positionOf.get(projection)?.['position'] as number | undefined) ?? 0

  return {
    db,
    position: async (projection) => position(projection),
    async apply(work, upTo, last) {
      const lastText = last ? JSON.stringify(last) : null
      try {
        transaction(db, () => {
          for (const one of work) {
            const { projection, steps } = one
            const from = position(projection)
            if (from >= upTo) continue
            refuseGap(one, from)
            applySteps(steps, from, applyOne)
            setPosition.run(projection, upTo, lastText)
          }
          totals.write()
        })
      } catch (error) {
        // What was learnt inside the transaction never came to be.
        displays.clear()
        companies.forget()
        changes.spoil()
        throw asUnavailable(error)
      } finally {
        recent.clear()
        totals.clear()
      }
      if (!building) renames.workOff()
    },
    settled: () => renames.settled(),
    takeChanges: () => changes.take(),
    lastEvents: () => lasts.all().map(({ last }) => JSON.parse(String(last)) as LastEvent),
    async close() {
      renames.stop()
      db.close()
    },
  }
}
