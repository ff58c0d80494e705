/** What writing a record again costs: an index is written when what it is by has changed, and only then. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import {
  createRecordTable,
  openRecordTable,
  recordIndexes,
} from '../../../src/adapters/sqlite/read-models/record-table.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import type { Fields } from '../../../src/domain/json.ts'

const definitions = loadDefinitions([join(import.meta.dirname, '..', '..', '..', 'definitions')])
const definition = definitions.get('contract')!

describe('a record that is written again', () => {
  /** The updates that were prepared, as SQLite would run them. */
  const updating = (changed: Fields, deleted = false) => {
    const db = new DatabaseSync(':memory:')
    createRecordTable(db, definitions, definition)
    for (const sql of recordIndexes(definitions, definition)) db.exec(sql)
    const prepared: string[] = []
    const watched = new Proxy(db, {
      get: (of, name: keyof DatabaseSync) => {
        const member = of[name] as unknown
        if (typeof member !== 'function') return member
        return (...given: readonly unknown[]) => {
          if (name === 'prepare') prepared.push(given[0] as string)
          return Reflect.apply(member, of, given) as unknown
        }
      },
    })
    const table = openRecordTable(watched, definitions, definition)
    const row = (version: number, document: Fields, isDeleted = false) => ({
      n: 1,
      version,
      deleted: isDeleted,
      document,
      text: JSON.stringify(document),
    })
    const before = { Id: 'contract-1', Status: 'Draft', Notes: 'a' }
    table.insert(1, row(1, before))
    const from = prepared.length
    table.update(row(1, before), row(2, { ...before, ...changed }, deleted))
    const operations = prepared
      .slice(from)
      .flatMap((sql) => db.prepare(`EXPLAIN ${sql}`).all() as unknown as { readonly opcode: string }[])
    const read = table.read(1, 'contract-1')
    db.close()
    const written = operations.filter(({ opcode }) => /^Idx(Insert|Delete)$/.test(opcode)).length
    return { written, read }
  }

  it('writes no index when nothing that lists go by has changed', () => {
    const { written, read } = updating({ Notes: 'b' })
    expect(written).to.equal(0)
    expect(read?.document).to.include({ Notes: 'b', Status: 'Draft' })
  })

  it('writes those of what has changed', () => {
    const { written, read } = updating({ Status: 'Active' })
    expect(written).to.be.within(2, 4)
    expect(read).to.deep.include({ version: 2, deleted: false })
  })

  it('leaves all indexes when it is deleted', () => {
    const { written, read } = updating({}, true)
    expect(written).to.be.greaterThan(20)
    expect(read).to.deep.include({ version: 2, deleted: true })
  })
})
