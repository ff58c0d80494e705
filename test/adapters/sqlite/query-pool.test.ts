/** Questions to query processes: who waits for whom, and how many may. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { queryPool, type QueryPool } from '../../../src/adapters/sqlite/warehouse/query/query-pool.ts'
import { Busy, Unavailable } from '../../../src/domain/errors.ts'
import { newFolder } from '../../support/service.ts'

const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
const LIMITS = { milliseconds: 1_000, rows: 10, characters: 1_000, memoryBytes: 2 ** 28 }

describe('questions to query processes', function () {
  this.timeout(30_000)
  let folder: string
  let pool: QueryPool
  let settled: string[]

  const ask = (company: string, name: string, sql = `SELECT '${name}'`) =>
    pool
      .ask({ path: join(folder, company), sql, readable: {} })
      .then(
        () => {},
        (error: unknown) => {
          if (!/takes longer/.test(String(error))) throw error
        },
      )
      .finally(() => settled.push(name))

  beforeEach(() => {
    folder = newFolder()
    for (const company of ['one', 'other', 'third']) new DatabaseSync(join(folder, company)).close()
    pool = queryPool({ processes: 1, limits: LIMITS })
    settled = []
  })
  afterEach(() => {
    pool.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('are answered company by company, however many one of them asks', async () => {
    const asked = [ask('one', 'endless', ENDLESS)]
    for (const name of ['one 1', 'one 2', 'one 3']) asked.push(ask('one', name))
    asked.push(ask('other', 'other 1'), ask('other', 'other 2'), ask('third', 'third 1'))
    await Promise.all(asked)
    expect(settled).to.deep.equal(['endless', 'one 1', 'other 1', 'third 1', 'one 2', 'other 2', 'one 3'])
  })

  it('wait in limited numbers, of a company and in all', async () => {
    const asked = [ask('one', 'endless', ENDLESS)]
    for (let i = 1; i <= 10; i++) asked.push(ask('one', `one ${i}`))
    expect(await refusal(ask('one', 'one 11'))).to.be.instanceOf(Busy)
    for (let i = 1; i <= 10; i++) asked.push(ask('other', `other ${i}`))
    await Promise.all(asked)
    expect(settled.filter((name) => name.startsWith('one '))).to.have.length(11)
  })

  it('whose answers are too long, or have too many rows, are refused by what was too much', async () => {
    const numbers = (count: number) =>
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${count}) SELECT i FROM n`
    const long = (length: number) => `SELECT printf('%.*c', ${length}, 'x')`
    const outcome = (sql: string) => pool.ask({ path: join(folder, 'one'), sql, readable: {} })
    for (const sql of [numbers(10), long(900)]) expect(await outcome(sql)).to.have.property('json')
    expect(await outcome(numbers(11)))
      .to.have.property('fault')
      .that.matches(/^gives more than 10 rows/)
    expect(await outcome(long(1_000)))
      .to.have.property('fault')
      .that.matches(/^gives more than .* MB/)
  })

  it('of many companies wait in limited numbers, too', async () => {
    const asked = [ask('one', 'endless', ENDLESS)]
    for (let i = 0; i < 50; i++) asked.push(ask(`company ${i % 5}`, `${i}`))
    const refused = await refusal(ask('other', 'other'))
    pool.close()
    await Promise.all(asked.map(refusal))
    expect(refused).to.be.instanceOf(Busy)
  })

  it('do not pass those that run already', async () => {
    const asked = [ask('one', 'first', ENDLESS), ask('one', 'second', ENDLESS)]
    await asked[0]
    asked.push(ask('other', 'third'))
    await Promise.all(asked)
    expect(settled).to.deep.equal(['first', 'second', 'third'])
  })

  it('that wait when it is closed are refused', async () => {
    const asked = [ask('one', 'endless', ENDLESS), ask('one', 'one 1'), ask('other', 'other 1')].map(refusal)
    pool.close()
    for (const error of await Promise.all(asked)) expect(error).to.be.instanceOf(Unavailable)
  })
})

const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error: unknown) => error,
  )
