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

  it('are in the index by moment when they are near, and not before', async () => {
    const path = join(folder, 'plan.db')
    const timers = sqliteTimers(path)
    const day = 86_400_000
    const of = { company: 'company-1', rule: 'expire' }
    await timers.due(0, 1)
    await timers.store(
      [10, 100, 1_000].map((days) => ({
        op: 'plan',
        ...of,
        record: `r${days}`,
        position: 1,
        timers: [{ occurrence: 'at', due: days * day }],
      })),
    )
    const near = () => db.prepare('SELECT record FROM kept WHERE near = 1 ORDER BY record').all()
    const db = new DatabaseSync(path, { readOnly: true })
    expect(near().map((row) => row['record'])).to.deep.equal(['r10'])
    await timers.due(90 * day, 1)
    expect(near().map((row) => row['record'])).to.deep.equal(['r10', 'r100'])
    db.close()
    await timers.close()
  })

  it('of an earlier version, all in the index by moment, are there, postponed as they were', async () => {
    const path = join(folder, 'planned.db')
    const db = new DatabaseSync(path)
    db.exec(`
      CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE planned (
        id INTEGER PRIMARY KEY, rule INTEGER NOT NULL, company INTEGER NOT NULL, record TEXT NOT NULL,
        occurrence TEXT NOT NULL, due INTEGER NOT NULL, look INTEGER NOT NULL
      ) STRICT;
      CREATE UNIQUE INDEX planned_by_record ON planned (rule, company, record, occurrence);
      CREATE INDEX planned_by_moment ON planned (look);
      INSERT INTO names VALUES (1, 'expire'), (2, 'company-1');
      INSERT INTO planned VALUES (1, 1, 2, 'r2', 'at|20', 20, 60), (2, 1, 2, 'r1', 'at|10', 10, 10);`)
    db.close()
    const timer = (record: string, due: number) => ({
      rule: 'expire',
      company: 'company-1',
      record,
      occurrence: `at|${due}`,
      due,
    })
    for (let opening = 1; opening <= 2; opening++) {
      const timers = sqliteTimers(path)
      expect(await timers.due(59, 9)).to.deep.equal([timer('r1', 10)])
      expect(await timers.due(60, 9)).to.deep.equal([timer('r1', 10), timer('r2', 20)])
      await timers.close()
    }
  })

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
