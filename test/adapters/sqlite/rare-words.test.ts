/** A search for several beginnings of many words each: the rare ones lead, and all of them decide. */
import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect } from 'chai'
import { countSql, type ListOf } from '../../../src/adapters/sqlite/read-models/queries/compile-list.ts'
import { afterRare, lookedFor, rareSql } from '../../../src/adapters/sqlite/read-models/queries/read-page.ts'
import {
  openReadModelFile,
  type ReadModelFile,
} from '../../../src/adapters/sqlite/read-models/read-model-file.ts'
import { createRecordTable, recordIndexes } from '../../../src/adapters/sqlite/read-models/record-table.ts'
import {
  createSearchTable,
  openSearchIndex,
} from '../../../src/adapters/sqlite/read-models/search/search-index.ts'
import { openCompanies } from '../../../src/adapters/sqlite/read-models/companies.ts'
import { sampleDefinitions } from '../../support/sample-definitions.ts'
import { newFolder } from '../../support/service.ts'

const definition = sampleDefinitions.get('contract')!

/** 600 records of 30 common words; every tenth has a word of its own, too. */
const notesOf = (i: number) => `common${i % 30} ${i % 10 === 0 ? `rare${i}` : 'other'}`

function filled(): ReadModelFile {
  const path = join(newFolder(), 'records.db')
  const db = new DatabaseSync(path)
  openCompanies(db)
  createRecordTable(db, sampleDefinitions, definition)
  for (const create of recordIndexes(sampleDefinitions, definition)) db.exec(create)
  createSearchTable(db, definition)
  const search = openSearchIndex(db, definition)
  const insert = db.prepare(
    `INSERT INTO record_contract (n, company, id, version, deleted, document) VALUES (?, 1, ?, 1, 0, ?)`,
  )
  db.exec('BEGIN')
  for (let i = 0; i < 600; i++) {
    const document = { Id: `contract-${i}`, Notes: notesOf(i) }
    insert.run(i + 1, document.Id, JSON.stringify(document))
    search.put(1, i + 1, document)
  }
  db.exec('COMMIT')
  db.close()
  return openReadModelFile(path)
}

describe('a search for beginnings of many words', () => {
  let file: ReadModelFile
  before(() => (file = filled()))
  after(() => file.close())

  const looked = (words: readonly string[]) => lookedFor(file, definition, 1, { words })!
  const counted = (list: Pick<ListOf, 'match' | 'wordsIn' | 'gathers'>, words: readonly string[]) => {
    const query = { object: 'contract', words, sort: [], offset: 0, limit: 25, expand: [] }
    const all = { definitions: sampleDefinitions, definition, company: 1, query, timed: false }
    return Number(file.rows(countSql({ ...all, ...list }))[0]?.[0])
  }

  it('is led by those that few records have', () => {
    const words = ['common', 'rare']
    const sought = looked(words)
    const records = Number(file.rows(rareSql(definition, sought.rare!))[0]?.[0])
    expect(records).to.equal(60)
    const led = afterRare(definition, sought, records)
    expect(led).to.include({ match: sought.rare, gathers: false })
    expect(counted(led, words)).to.equal(60)
    expect(counted(sought, words)).to.equal(60)
  })

  it('looks at the text of what these find', () => {
    const words = ['rare', 'common', 'common1']
    const sought = looked(words)
    const led = afterRare(definition, sought, 60)
    const expected = Array.from({ length: 600 }, (_, i) => notesOf(i)).filter((notes) =>
      /common1.* rare/.test(notes),
    )
    expect(counted(led, words)).to.equal(expected.length)
  })

  it('goes by all words where the rare ones are not rare after all', () => {
    const sought = looked(['common', 'rare'])
    expect(afterRare(definition, sought, 1_001)).to.equal(sought)
  })

  it('is left as it is when no word is rarer than the others', () => {
    expect(looked(['common']).rare).to.equal(undefined)
    expect(looked(['rare']).rare).to.equal(undefined)
  })
})
