/** Timers in `timers.db`. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { sqliteTimers } from '../../../src/adapters/sqlite/timers/timers.ts'
import { timersContract } from '../../contracts/timers.ts'
import { newFolder } from '../../support/service.ts'

describe('timers in a file', () => {
  let folder: string
  before(() => (folder = newFolder()))
  after(() => rmSync(folder, { recursive: true }))

  timersContract(async () => sqliteTimers(join(folder, 'timers.db')))

  describe('of an earlier version, with names in each row,', () => {
    const fileOfNames = () => {
      const path = join(folder, 'with-names.db')
      rmSync(path, { force: true })
      const db = new DatabaseSync(path)
      db.exec(`
        CREATE TABLE timers (
          rule TEXT NOT NULL, company TEXT NOT NULL, record TEXT NOT NULL, occurrence TEXT NOT NULL, due INTEGER NOT NULL,
          look INTEGER NOT NULL, PRIMARY KEY (rule, company, record, occurrence)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX timers_by_moment ON timers (look, rule, company, record, occurrence, due);
        CREATE TABLE reached (rule TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO reached VALUES ('expire', 7), ('notify', 9);
        INSERT INTO timers VALUES
          ('expire', 'company-1', 'r1', 'at|10', 10, 10), ('expire', 'company-2', 'r2', 'at|20', 20, 60),
          ('remind', 'company-1', 'r1', 'at|30', 30, 30);`)
      db.close()
      return path
    }
    const timer = (rule: string, company: string, record: string, due: number) => ({
      rule,
      company,
      record,
      occurrence: `at|${due}`,
      due,
    })

    it('are there, postponed as they were, with the positions of rules', async () => {
      const path = fileOfNames()
      for (let opening = 1; opening <= 2; opening++) {
        const timers = sqliteTimers(path)
        expect(await timers.due(59, 9)).to.deep.equal([
          timer('expire', 'company-1', 'r1', 10),
          timer('remind', 'company-1', 'r1', 30),
        ])
        expect((await timers.due(60, 9)).at(-1)).to.deep.equal(timer('expire', 'company-2', 'r2', 20))
        expect([await timers.position('expire'), await timers.position('notify')]).to.deep.equal([7, 9])
        await timers.close()
      }
    })

    it('can be planned again and dropped', async () => {
      const timers = sqliteTimers(fileOfNames())
      const { company, ...of } = { company: 'company-1', rule: 'expire', record: 'r1' }
      await timers.store([
        { op: 'plan', company, ...of, position: 8, timers: [{ occurrence: 'at|15', due: 15 }] },
      ])
      await timers.store([{ op: 'drop', rule: 'remind' }])
      expect(await timers.due(59, 9)).to.deep.equal([{ company, ...of, occurrence: 'at|15', due: 15 }])
      await timers.close()
    })
  })
})
