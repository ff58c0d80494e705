/** What was deleted or changed in a file of SQLite is not left in it. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openForWriting } from '../../../src/adapters/sqlite/files/open.ts'
import { newFolder } from '../../support/service.ts'

describe('text that was deleted from a file', () => {
  let folder: string
  before(() => (folder = newFolder()))
  after(() => rmSync(folder, { recursive: true }))

  it('is gone from it at the next checkpoint', () => {
    const path = join(folder, 'derived.db')
    const db = openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 1 })
    const checkpoint = () => db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const holds = (text: string) => readFileSync(path).includes(text)
    db.exec('CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT)')
    const insert = db.prepare('INSERT INTO people (name) VALUES (?)')
    for (let i = 0; i < 300; i++) insert.run(`Ada Lovelace of Marylebone ${i}`)
    insert.run(`Grace ${'x'.repeat(6_000)} Hopper`)
    checkpoint()
    expect([holds('Lovelace'), holds('Hopper')]).to.deep.equal([true, true])
    db.exec(`DELETE FROM people WHERE name LIKE 'Ada%'; UPDATE people SET name = 'nobody'`)
    checkpoint()
    expect([holds('Lovelace'), holds('Hopper')]).to.deep.equal([false, false])
    db.close()
  })
})
