/** Columns in memory beside plain looking at every row; and when they are read, given up and read again. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import fc from 'fast-check'
import { changedRows, isChosen } from '../../../src/adapters/sqlite/read-models/in-memory/changed-rows.ts'
import { choiceOf, countOf } from '../../../src/adapters/sqlite/read-models/in-memory/choice.ts'
import { accepts } from '../../../src/adapters/sqlite/read-models/in-memory/codes.ts'
import { orderOf, type ColumnValue } from '../../../src/adapters/sqlite/read-models/in-memory/column.ts'
import { openCompanies } from '../../../src/adapters/sqlite/read-models/companies.ts'
import { keptColumns } from '../../../src/adapters/sqlite/read-models/in-memory/kept-columns.ts'
import type { ListOf } from '../../../src/adapters/sqlite/read-models/queries/compile-list.ts'
import { openReadModelFile } from '../../../src/adapters/sqlite/read-models/read-model-file.ts'
import { columnReader } from '../../../src/adapters/sqlite/read-models/in-memory/column-reader.ts'
import { columnScopes } from '../../../src/adapters/sqlite/read-models/in-memory/column-scopes.ts'
import { pageNumbers } from '../../../src/adapters/sqlite/read-models/in-memory/page-numbers.ts'
import {
  readColumns,
  rowFinder,
  type ColumnsWanted,
  type Rows,
} from '../../../src/adapters/sqlite/read-models/in-memory/read-columns.ts'
import { createRecordTable, recordIndexes } from '../../../src/adapters/sqlite/read-models/record-table.ts'
import type { Leaf, Filter } from '../../../src/domain/filter/ast.ts'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import { newFolder } from '../../support/service.ts'
import { sampleDefinitions } from '../../support/sample-definitions.ts'

const contract = sampleDefinitions.get('contract')!
const COLUMNS = ['Status', 'Duration', 'MonthlyRent/Amount', 'Tenant/Name~']
const STATES = ['Active', 'Draft', null]
const NAMES = ['anna', 'bert', 'änne', '', 'berta', null]

type Row = readonly ColumnValue[]

/** Enough rows for tables of every so many of them, values that many share and values of their own. */
function rowsOf(count: number, seed: number): Row[] {
  const pick = (i: number, of: number) => (Math.imul(i + 1, 2_654_435_761 + 2 * seed) >>> 7) % of
  return Array.from({ length: count }, (_, i) => [
    STATES[pick(i, STATES.length)]!,
    pick(i * 3, 40) === 0 ? null : pick(i * 3, 40),
    pick(i * 7, 5_000) / 4,
    NAMES[pick(i * 11, NAMES.length)]!,
  ])
}

function fillTable(db: DatabaseSync, rows: readonly Row[]): void {
  createRecordTable(db, sampleDefinitions, contract)
  const names = COLUMNS.map((name) => `"${name}"`).join(', ')
  const insert = db.prepare(
    `INSERT INTO record_contract (n, company, id, version, deleted, document, ${names})
     VALUES (?, 1, ?, 1, 0, '{}', ?, ?, ?, ?)`,
  )
  db.exec('BEGIN')
  rows.forEach((row, i) => insert.run(10 * i, `contract-${i}`, ...row))
  db.exec('COMMIT')
  for (const create of recordIndexes(sampleDefinitions, contract)) db.exec(create)
}

function columnsOf(rows: readonly Row[]) {
  const db = new DatabaseSync(':memory:')
  fillTable(db, rows)
  const read = readColumns(db, { definition: contract, company: 1, columns: COLUMNS })
  db.close()
  const changed = changedRows(rows.length, rowFinder(read.numbers), read.columns)
  return { ...read, byName: new Map(read.columns.map((column) => [column.name, column])), changed }
}

const filters = fc
  .array(
    fc.oneof(
      fc.constantFrom("Status eq 'Draft'", "Status ne 'Active'", "Status in ('Draft', 'Active', null)"),
      fc.integer({ min: 0, max: 1_300 }).map((rent) => `MonthlyRent gt ${rent}.25`),
      fc.integer({ min: 0, max: 1_300 }).map((rent) => `not (MonthlyRent le ${rent})`),
      fc.integer({ min: 0, max: 41 }).map((months) => `Duration eq ${months}`),
      fc.integer({ min: 0, max: 41 }).map((months) => `not (Duration ge ${months})`),
      fc.constantFrom("contains(Tenant/Name, 'n')", "not startswith(Tenant/Name, 'BERT')"),
      fc.constantFrom("endswith(Tenant/Name, 't')", "tolower(Tenant/Name) eq 'änne'", 'Tenant/Name eq null'),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .chain((terms) => fc.constantFrom(terms.join(' and '), terms.join(' or ')))

const holds = (filter: Filter, row: Row): boolean => {
  if (filter.op === 'constant') return filter.value
  if ('terms' in filter)
    return filter.op === 'and'
      ? filter.terms.every((term) => holds(term, row))
      : filter.terms.some((term) => holds(term, row))
  return accepts(filter, row[COLUMNS.indexOf(columnNamed(filter))]!)
}

const columnNamed = (leaf: Exclude<Leaf, { op: 'constant' }>): string =>
  leaf.path.text === 'MonthlyRent'
    ? 'MonthlyRent/Amount'
    : leaf.path.text === 'Tenant/Name'
      ? 'Tenant/Name~'
      : leaf.path.text

describe('columns in memory', () => {
  const rows = rowsOf(9_000, 1)
  const columns = columnsOf(rows)
  const changes = rowsOf(200, 2).map((row, i): [number, Row | undefined] => [
    i % 4 === 0 ? 1_000_000 + i : 10 * ((i * 997) % 9_500),
    i % 7 === 0 ? undefined : i % 5 === 0 ? [row[0]!, 1_000.5, 0.1, 'neu'] : row,
  ])

  const judge = (
    filter: Filter | undefined,
    sort: readonly [number, boolean][],
    changed: ReadonlyMap<number, Row | undefined>,
  ) => {
    const all = new Map<number, Row | undefined>(rows.map((row, i) => [10 * i, row]))
    for (const [n, row] of changed) all.set(n, row)
    const found = [...all].flatMap(([n, row]) => (row && (!filter || holds(filter, row)) ? [{ n, row }] : []))
    const newestFirst = sort[0]?.[1] ?? true
    return found.sort((one, other) => {
      for (const [at, descending] of sort) {
        const order = orderOf(one.row[at]!, other.row[at]!)
        if (order !== 0) return descending ? -order : order
      }
      return newestFirst ? other.n - one.n : one.n - other.n
    })
  }

  it('count and page as looking at every row does, also after changes', () => {
    const sorts = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.boolean()), { maxLength: 3 })
    const later = columnsOf(rows)
    for (const [n, row] of changes) later.changed.put(n, row)
    const asked = fc.tuple(fc.option(filters, { nil: undefined }), sorts, fc.nat(300), fc.boolean())
    fc.assert(
      fc.property(asked, ([text, sort, offset, isLater]) => {
        const { numbers, byName, changed } = isLater ? later : columns
        const filter = text === undefined ? undefined : parseFilter(text, contract, sampleDefinitions)
        const choice = filter && choiceOf(filter, byName)
        const expected = judge(filter, sort, new Map(isLater ? changes : []))
        if (choice && !isLater) assert.equal(countOf(choice, numbers.length), expected.length)
        for (const row of changed.present())
          assert.equal(
            !choice || isChosen(choice, row),
            expected.some(({ n }) => n === row.n),
          )
        const order = sort.map(([at, descending]) => ({ column: byName.get(COLUMNS[at]!)!, descending }))
        const total = expected.length
        const page = pageNumbers({ numbers, changed, choice, total, order, offset, limit: 25 })
        assert.deepEqual(
          page,
          expected.slice(offset, offset + 25).map(({ n }) => n),
        )
      }),
      { numRuns: 40 },
    )
  })

  it('are read by a thread of their own, again and again', async () => {
    const path = join(newFolder(), 'records.db')
    const db = new DatabaseSync(path)
    fillTable(db, rows.slice(0, 100))
    db.close()
    const reader = columnReader(path)
    for (const names of [['Status'], COLUMNS]) {
      const read = await reader.read({ definition: contract, company: 1, columns: names })
      expect(read.columns.map(({ name }) => name)).to.deep.equal(names)
      expect(read.numbers).to.have.length(100)
    }
    const missing = reader.read({ definition: contract, company: 1, columns: ['None'] })
    await assert.rejects(missing, /no such index/)
    reader.close()
    await assert.rejects(reader.read({ definition: contract, company: 1, columns: [] }), /closing/)
  })

  it('are not asked while too many records have changed, and are again when they have been read', async () => {
    const path = join(newFolder(), 'records.db')
    const db = new DatabaseSync(path)
    openCompanies(db)
    fillTable(db, rows)
    const file = openReadModelFile(path)
    const read = async (asked: ColumnsWanted) => readColumns(db, asked)
    const kept = keptColumns({ file: () => file, reader: () => ({ read, close: () => {} }) })
    const filter = parseFilter("Status eq 'Draft'", contract, sampleDefinitions)
    const query = { object: 'contract', filter, sort: [], offset: 0, limit: 5, expand: [] }
    const at = { definitions: sampleDefinitions, definition: contract, company: 1 }
    const list: ListOf = { ...at, query, match: '', gathers: false, timed: false }
    const change = (numbers: number[]) =>
      kept.changed(new Map([['contract company-1', { listed: null, rows: numbers }]]))

    expect(kept.find(list, 'company-1')).to.equal(undefined)
    await kept.settled()
    const first = kept.find(list, 'company-1')!
    db.exec(`UPDATE record_contract SET deleted = 1 WHERE n = ${first.numbers[0]}`)
    change([first.numbers[0]!])
    expect(kept.find(list, 'company-1')!.total).to.equal(first.total - 1)
    // More numbers than there are records: of those that were undone, too.
    change(Array.from({ length: 10_001 }, (_, i) => i))
    expect(kept.find(list, 'company-1')).to.equal(undefined)
    kept.forget()
    expect(kept.find(list, 'company-1')).to.equal(undefined)
    await kept.settled()
    expect(kept.find(list, 'company-1')!.total).to.equal(first.total - 1)
    file.close()
    db.close()
  })

  describe('of several companies', () => {
    const wanted = { definition: contract, company: 1 }
    const reading = () => {
      const reads: ColumnsWanted[] = []
      const read = async (asked: ColumnsWanted): Promise<Rows> => {
        reads.push(asked)
        return columns
      }
      return { reads, reader: () => ({ read, close: () => {} }) }
    }

    it('are given up, those not asked for the longest first, when they take too much memory', async () => {
      const { reader } = reading()
      const scopes = columnScopes(reader, 800_000)
      for (const name of ['one', 'two', 'three']) {
        scopes.asked(name).asked.add('Status')
        scopes.read(name, wanted)
        await scopes.settled()
      }
      expect(scopes.bytes).to.be.within(1, 800_000)
      expect(scopes.asked('three').kept).to.not.equal(undefined)
      expect(scopes.asked('one').kept).to.equal(undefined)
    })

    it('are not read again at once, but what changed while they were read is known', async () => {
      const { reads, reader } = reading()
      const scopes = columnScopes(reader, 8_000_000)
      scopes.asked('one').asked.add('Status')
      scopes.read('one', wanted)
      scopes.changed('one', [10])
      await scopes.settled()
      expect([...scopes.asked('one').unread]).to.deep.equal([10])
      scopes.read('one', wanted)
      expect(reads).to.have.length(1)
    })

    it('are given up when too many records have changed that were not asked for', async () => {
      const scopes = columnScopes(reading().reader, 8_000_000)
      scopes.asked('one').asked.add('Status')
      scopes.read('one', wanted)
      await scopes.settled()
      scopes.changed(
        'one',
        Array.from({ length: 100_001 }, (_, n) => n),
      )
      expect(scopes.bytes).to.equal(0)
    })
  })
})
