/**
 * Read models as plain tables, whatever engine keeps them: for each object its records with the JSON that is served, and what
 * MongoDB has beside it to filter, sort and search by. What is kept and what was rebuilt stand beside each other in one file
 * until they are judged.
 *
 * Of deleted records their Keys, versions and documents count, without the names that they show of others: these are as old
 * as they are.
 */
import { DatabaseSync } from 'node:sqlite'
import { tableOf } from '../../src/adapters/sqlite/read-models/columns.ts'
import { transaction } from '../../src/adapters/sqlite/files/open.ts'
import type { Connection } from '../../src/adapters/mongodb/connection.ts'
import {
  documentId,
  shadowsOf,
  wordsOf,
  type RecordDocument,
} from '../../src/adapters/mongodb/read-models/record-document.ts'
import type { Definitions, ObjectDefinition } from '../../src/domain/definition.ts'
import type { Company, Position } from '../../src/domain/events/event.ts'
import { isObject, type Fields, type Json } from '../../src/domain/json.ts'

/** Which record. */
export interface Named {
  readonly object: string
  readonly company: Company
  readonly key: string
}

/** A record as one of the two has it. */
export interface Row {
  readonly deleted: boolean
  /** Of its last event; undefined where that is not known. */
  readonly position: Position | undefined
  readonly json: string
  /** All that counts of it. */
  readonly text: string
}

export interface Dump {
  /** Reads all that MongoDB serves, or these records of it, in place of what was read before. */
  keep(connection: Connection, only?: readonly Named[]): Promise<void>
  /** The same of the file that the embedded projections have made: what MongoDB would have to serve. */
  rebuild(readModels: string, only?: readonly Named[]): void
  /** Drops the records that are equal, and answers with those that are not. */
  unequal(): Named[]
  rowsOf(which: 'kept' | 'rebuilt', one: Named): Row[]
  /** How many records were dropped, by object. */
  equal(object: string): { readonly live: number; readonly deleted: number }
  close(): void
}

type Dumped = Omit<RecordDocument, '_id' | 'position' | 'revision'> & { readonly position: Position | null }

const ROWS = 500
const COLUMNS = 'company, id, version, n, json, shadows, words'

export function openDump(path: string, definitions: Definitions): Dump {
  const db = new DatabaseSync(path)
  db.prepare('ATTACH ? AS rebuilt').run(`${path}.rebuilt`)
  const counts = new Map<string, { live: number; deleted: number }>()
  const tableIn = (which: 'kept' | 'rebuilt', object: string) =>
    `${which === 'kept' ? 'main' : which}.${tableOf(definitions.get(object)!)}`
  for (const schema of ['main', 'rebuilt']) {
    db.exec(`PRAGMA ${schema}.journal_mode = OFF; PRAGMA ${schema}.synchronous = OFF`)
    for (const definition of definitions.values()) {
      const table = tableOf(definition)
      // No key: a record that is there twice is told twice.
      db.exec(`CREATE TABLE ${schema}.${table} (company TEXT, id TEXT, version INTEGER, deleted INTEGER, n INTEGER,
          json TEXT, shadows TEXT, words TEXT, position INTEGER);
        CREATE INDEX ${schema}."${definition.object} by id" ON ${table} (company, id)`)
      counts.set(definition.object, { live: 0, deleted: 0 })
    }
  }

  const add = (which: 'kept' | 'rebuilt', object: string, records: readonly Dumped[]) => {
    const insert = db.prepare(`INSERT INTO ${tableIn(which, object)} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
    transaction(db, () => {
      for (const { company, key, version, live, n, json, values, folded, words = [], position } of records)
        if (live)
          insert.run(
            ...[company, key, version, 0, n, json],
            JSON.stringify({ values, folded }),
            words.toSorted().join(' '),
            position,
          )
        else insert.run(...[company, key, version, 1, null, withoutNames(json), null, null, position])
    })
  }
  const forget = (which: 'kept' | 'rebuilt', only: readonly Named[]) =>
    transaction(db, () => {
      for (const { object, company, key } of only)
        db.prepare(`DELETE FROM ${tableIn(which, object)} WHERE company = ? AND id = ?`).run(company, key)
    })

  return {
    async keep(connection, only) {
      if (only) forget('kept', only)
      for (const [object, named] of byObject(definitions, only)) {
        const records = connection.records(object)
        for (let start = 0; start < (named?.length ?? 1); start += ROWS) {
          const ids = named?.slice(start, start + ROWS).map(({ company, key }) => documentId(company, key))
          const found = records.find(ids ? { _id: { $in: ids } } : {}, { batchSize: ROWS }).sort({ _id: 1 })
          let read: Dumped[] = []
          for await (const record of found) {
            read.push(record)
            if (read.length < ROWS) continue
            add('kept', object, read)
            read = []
          }
          add('kept', object, read)
        }
      }
    },

    rebuild(readModels, only) {
      if (only) forget('rebuilt', only)
      const source = new DatabaseSync(readModels, { readOnly: true })
      try {
        for (const [object, named] of byObject(definitions, only)) {
          const definition = definitions.get(object)!
          const select = `SELECT c.company, r.id, r.version, r.deleted, r.n, r.document
            FROM ${tableOf(definition)} AS r JOIN companies AS c ON c.number = r.company`
          const one = source.prepare(`${select} WHERE c.company = ? AND r.id = ?`)
          const rows = named
            ? named.flatMap(({ company, key }) => one.all(company, key))
            : source.prepare(select).iterate()
          let read: Dumped[] = []
          for (const row of rows) {
            read.push(served(definition, row))
            if (read.length < ROWS) continue
            add('rebuilt', object, read)
            read = []
          }
          add('rebuilt', object, read)
        }
      } finally {
        source.close()
      }
    },

    unequal() {
      const all: Named[] = []
      for (const { object } of definitions.values()) {
        const [kept, rebuilt] = [tableIn('kept', object), tableIn('rebuilt', object)]
        db.exec(`CREATE TEMP TABLE equal AS SELECT k.company, k.id, k.deleted
            FROM ${kept} AS k JOIN ${rebuilt} AS r ON r.company = k.company AND r.id = k.id
            WHERE k.version = r.version AND k.deleted = r.deleted
              AND (k.n, k.json, k.shadows, k.words) IS (r.n, r.json, r.shadows, r.words)
            GROUP BY k.company, k.id HAVING count(*) = 1;
          DELETE FROM equal WHERE (company, id) IN (SELECT company, id FROM ${kept} GROUP BY company, id HAVING count(*) > 1);
          DELETE FROM ${kept} WHERE (company, id) IN (SELECT company, id FROM equal);
          DELETE FROM ${rebuilt} WHERE (company, id) IN (SELECT company, id FROM equal)`)
        const count = counts.get(object)!
        for (const { deleted, rows } of db
          .prepare('SELECT deleted, count(*) AS rows FROM equal GROUP BY deleted')
          .all() as unknown as { deleted: number; rows: number }[])
          count[deleted ? 'deleted' : 'live'] += rows
        db.exec('DROP TABLE equal')
        const left = `SELECT company, id AS key FROM ${kept} UNION SELECT company, id FROM ${rebuilt} ORDER BY 1, 2`
        for (const { company, key } of db.prepare(left).iterate() as Iterable<Record<string, string>>)
          all.push({ object, company: company!, key: key! })
      }
      return all
    },

    rowsOf(which, { object, company, key }) {
      const rows = db
        .prepare(
          `SELECT ${COLUMNS}, deleted, position FROM ${tableIn(which, object)} WHERE company = ? AND id = ?`,
        )
        .all(company, key)
      return rows.map(({ deleted, position, ...rest }) => ({
        deleted: deleted === 1,
        position: (position as number | null) ?? undefined,
        json: rest['json'] as string,
        text: JSON.stringify(Object.values(rest).filter((value) => value !== null)),
      }))
    },

    equal: (object) => counts.get(object)!,
    close: () => db.close(),
  }
}

/** Lookups by their Keys alone. */
function withoutNames(json: string): string {
  return JSON.stringify(JSON.parse(json), (_name, value: Json) =>
    isObject(value) && 'Id' in value && Object.keys(value).length === 2 ? value['Id'] : value,
  )
}

function byObject(
  definitions: Definitions,
  only: readonly Named[] | undefined,
): Iterable<readonly [string, readonly Named[] | undefined]> {
  if (only) return Map.groupBy(only, ({ object }) => object)
  return [...definitions.keys()].map((object) => [object, undefined] as const)
}

function served(definition: ObjectDefinition, row: Record<string, unknown>): Dumped {
  const record = JSON.parse(row['document'] as string) as Fields
  return {
    company: row['company'] as string,
    key: row['id'] as string,
    version: row['version'] as number,
    live: row['deleted'] === 0,
    n: row['n'] as number,
    position: null,
    ...shadowsOf(definition, record),
    words: wordsOf(definition, record),
  }
}
