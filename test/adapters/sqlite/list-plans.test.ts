/** Which index a page is read by: with a million records, one that gives its order, so that nothing is sorted. */
import { join } from 'node:path'
import { expect } from 'chai'
import { changedRowsSql } from '../../../src/adapters/sqlite/read-models/in-memory/kept-columns.ts'
import { pageSql } from '../../../src/adapters/sqlite/read-models/queries/compile-list.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import { parseSort } from '../../../src/domain/query/sort.ts'
import { emptyReadModels } from './empty-read-models.ts'

const definitions = loadDefinitions([join(import.meta.dirname, '..', '..', '..', 'definitions')])
const definition = definitions.get('contract')!
const ALL = 1_000_000

describe('a page of a million records', () => {
  const db = emptyReadModels(definitions)

  /** What SQLite does to find the page's rows. */
  const planOf = (asked: { filter?: string; sort?: string }, matches: number) => {
    const query = {
      object: 'contract',
      ...(asked.filter !== undefined && { filter: parseFilter(asked.filter, definition, definitions) }),
      sort: asked.sort === undefined ? [] : parseSort(asked.sort, definition, definitions),
      offset: 0,
      limit: 25,
      expand: [],
    }
    const { text, params } = pageSql(
      { definitions, definition, company: 1, query, match: '', gathers: false, timed: false },
      matches,
      ALL,
    )
    const steps = db()
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .all(...params) as {
      id: number
      parent: number
      detail: string
    }[]
    const page = steps.find(({ detail }) => /page/.test(detail))!
    return steps.filter(({ parent }) => parent === page.id).map(({ detail }) => detail)
  }

  for (const filter of [
    "Status eq 'Active'",
    "LeaseType eq 'New'",
    "Tenant eq 'tenant-00000000000000000000000000'",
    "MonthlyRent/Currency eq 'EUR'",
    'Duration eq 12',
    'StartDate eq 2026-01-01',
    "Status eq 'Active' and MonthlyRent gt 1000",
  ])
    it(`is not sorted: ${filter}`, () => {
      const plan = planOf({ filter }, ALL / 4)
      expect(plan.join('\n')).to.match(/USING (COVERING )?INDEX/)
      expect(plan.join('\n')).not.to.include('TEMP B-TREE')
    })

  for (const { name, type } of definition.fields)
    if (type !== 'longtext' && type !== 'json')
      for (const sort of [name, `-${name}`])
        it(`is not sorted: sort=${sort}`, () => {
          expect(planOf({ sort }, ALL).join('\n')).not.to.include('TEMP B-TREE')
        })

  it('looks changed records up by their numbers, not in all of the company', () => {
    const query = { object: 'contract', sort: [], offset: 0, limit: 25, expand: [] }
    const list = { definitions, definition, company: 1, query, match: '', gathers: false, timed: false }
    const { text, params } = changedRowsSql(list, ['Status'], [5, 7])
    const plan = db()
      .prepare(`EXPLAIN QUERY PLAN ${text}`)
      .all(...params) as { detail: string }[]
    expect(plan.map(({ detail }) => detail)).to.include(
      'SEARCH record_contract USING INTEGER PRIMARY KEY (rowid=?)',
    )
  })
})
