/**
 * Read models as plain tables, whatever engine keeps them: for each object its records with the JSON that is served, and what
 * MongoDB has beside it to filter, sort and search by. Two dumps are compared as two files are (`compare-files.ts`).
 */
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as delay } from 'node:timers/promises'
import { tableOf } from '../../src/adapters/sqlite/columns.ts'
import { openForBuilding, transaction } from '../../src/adapters/sqlite/open.ts'
import { checkpointOf } from '../../src/adapters/mongodb/checkpoint.ts'
import type { Connection } from '../../src/adapters/mongodb/connection.ts'
import { shadowsOf, wordsOf, type RecordDocument } from '../../src/adapters/mongodb/record-document.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Fields } from '../../src/domain/json.ts'

type Dumped = Omit<RecordDocument, '_id' | 'position' | 'revision'>

interface Dump {
  add(object: string, records: readonly Dumped[]): void
  close(): void
}

function openDump(path: string, definitions: Definitions): Dump {
  const db = openForBuilding(path)
  for (const definition of definitions.values())
    // No key: a record that is there twice is told twice.
    db.exec(`CREATE TABLE ${tableOf(definition)}
      (company TEXT, id TEXT, version INTEGER, deleted INTEGER, n INTEGER, json TEXT, shadows TEXT, words TEXT)`)
  return {
    add(object, records) {
      const insert = db.prepare(
        `INSERT INTO ${tableOf(definitions.get(object)!)} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      transaction(db, () => {
        for (const { company, key, version, live, n, json, values, folded, words = [] } of records)
          insert.run(
            ...[company, key, version, Number(!live), n, json],
            JSON.stringify({ values, folded }),
            words.toSorted().join(' '),
          )
      })
    },
    close: () => db.close(),
  }
}

const ROWS = 500

/** What MongoDB serves, once no changed name is still on its way to those that show it. */
export async function dumpMongo(
  path: string,
  definitions: Definitions,
  connection: Connection,
): Promise<void> {
  await connection.ready()
  await namesHaveArrived(connection)
  const dump = openDump(path, definitions)
  try {
    for (const object of definitions.keys()) {
      let records: Dumped[] = []
      const found = connection.records(object).find({}, { batchSize: ROWS }).sort({ _id: 1 })
      for await (const record of found) {
        records.push(record)
        if (records.length < ROWS) continue
        dump.add(object, records)
        records = []
      }
      dump.add(object, records)
    }
  } finally {
    dump.close()
  }
}

/** What MongoDB would have to serve, by the file that the embedded projections have made of the same events. */
export function dumpFile(path: string, definitions: Definitions, readModels: string): void {
  const db = new DatabaseSync(readModels, { readOnly: true })
  const dump = openDump(path, definitions)
  try {
    for (const definition of definitions.values()) {
      const rows = db.prepare(
        `SELECT c.company, r.id, r.version, r.deleted, r.n, r.document
         FROM ${tableOf(definition)} AS r JOIN companies AS c ON c.number = r.company ORDER BY c.company, r.id`,
      )
      let records: Dumped[] = []
      const add = () => {
        dump.add(definition.object, records)
        records = []
      }
      for (const row of rows.iterate()) {
        const served = JSON.parse(row['document'] as string) as Fields
        records.push({
          company: row['company'] as string,
          key: row['id'] as string,
          version: row['version'] as number,
          live: row['deleted'] === 0,
          n: row['n'] as number,
          ...shadowsOf(definition, served),
          words: wordsOf(definition, served),
        })
        if (records.length === ROWS) add()
      }
      add()
    }
  } finally {
    dump.close()
    db.close()
  }
}

const LOOK_MS = 50
/** A step is 50 records. */
const LONGEST_STEP_MS = 60_000

/** @throws Error when nothing of them moves for a while: nobody works them off */
async function namesHaveArrived(connection: Connection): Promise<void> {
  const checkpoint = checkpointOf(connection.positions, () => connection.generation)
  let before = ''
  let movedAt = performance.now()
  for (;;) {
    const pending = await connection.fanOuts.countDocuments({})
    if (pending === 0) return
    // One of them may reach 100,000 records: the stamp grows with every step.
    const now = `${pending} ${(await checkpoint.read()).stamp}`
    if (now !== before) movedAt = performance.now()
    else if (performance.now() - movedAt > LONGEST_STEP_MS)
      throw new Error(
        `${pending} fan-outs are pending, and no process with the role projections works them off`,
      )
    before = now
    await delay(LOOK_MS)
  }
}
