/** Statements are prepared once and kept: SQLite must have no reason to prepare them again (docs/decisions/bound-limits.md). */
import { join } from 'node:path'
import { constants } from 'node:sqlite'
import { expect } from 'chai'
import { pageSql } from '../../../src/adapters/sqlite/read-models/queries/compile-list.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import { parseSort } from '../../../src/domain/query/sort.ts'
import { codeFiles, stringsOf, textOf } from '../../docs/prose.ts'
import { emptyReadModels } from './empty-read-models.ts'

const definitions = loadDefinitions([join(import.meta.dirname, '..', '..', '..', 'definitions')])
const definition = definitions.get('contract')!

describe('a kept statement', () => {
  const db = emptyReadModels(definitions)

  /** How often SQLite looks at what a statement may do, which it does whenever it prepares it, while it is run three times. */
  function preparedAgain(text: string, params: readonly (string | number | null)[]): number {
    const statement = db().prepare(text)
    let looks = 0
    db().setAuthorizer(() => {
      looks++
      return constants.SQLITE_OK
    })
    // Setting it is itself a reason to prepare once more.
    statement.all(...params)
    looks = 0
    for (let n = 0; n < 3; n++) statement.all(...params)
    db().setAuthorizer(null)
    return looks
  }

  it('would be seen to be prepared again', () =>
    expect(preparedAgain('SELECT n FROM record_contract ORDER BY n LIMIT ?', [25])).to.be.greaterThan(0))

  const asked: Record<string, { filter?: string; sort?: string; words?: string }> = {
    'all records': {},
    'an equality': { filter: "Status eq 'Active'" },
    'two terms': { filter: "Status eq 'Active' and MonthlyRent gt 1000" },
    'a sort': { sort: '-MonthlyRent' },
    words: { words: 'ann' },
    'words and a filter': { words: 'ann', filter: "Status eq 'Active'" },
  }
  for (const [name, { filter, sort, words }] of Object.entries(asked))
    it(`reads a page of ${name} as it was prepared`, () => {
      const query = {
        object: 'contract',
        ...(filter !== undefined && { filter: parseFilter(filter, definition, definitions) }),
        sort: sort === undefined ? [] : parseSort(sort, definition, definitions),
        ...(words !== undefined && { words: [words] }),
        ...{ offset: 50, limit: 25, expand: ['Tenant'] },
      }
      const list = { definitions, definition, company: 1, query, gathers: false, timed: false }
      const { text, params } = pageSql({ ...list, match: words ? `"k2k${words}"` : '' }, 5_000, 10_000)
      expect(preparedAgain(text, params)).to.equal(0)
    })

  it('binds limits as part of a sum everywhere', () => {
    const bare = codeFiles('src/adapters/sqlite').filter((file) =>
      stringsOf(textOf(file)).some((text) => /\b(?:LIMIT|OFFSET) \?(?! \+ 0)/.test(text)),
    )
    expect(bare).to.deep.equal([])
  })
})
