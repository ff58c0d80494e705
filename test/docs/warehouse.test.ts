/** The questions of docs/warehouse.md, asked as analysts would: over HTTP, of the demo company. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { apiClient } from '../../scripts/demo/api-client.ts'
import { companyOfSize } from '../../scripts/demo/company.ts'
import { createCompany } from '../../scripts/demo/create-records.ts'
import { liveAYear } from '../../scripts/demo/live-a-year.ts'
import { NO_POSTGRES, postgresUnderTest } from '../engines/postgres-under-test.ts'
import { suiteOf } from '../engines/suite-of.ts'
import { whileRunning } from '../engines/while-running.ts'
import { testService, TOKEN, type HeaderValues, type TestService } from '../support/service.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'warehouse.md'), 'utf8')
const NOW = `'${new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)}Z'`
const questions = [...page.matchAll(/^### \d+\. (.+)\n[\s\S]*?```sql\n([\s\S]*?)```/gm)].map(
  // The moment of the page is one that its readers replace.
  ([, title, sql]) => ({ title: title!, sql: sql!.replaceAll(/'\d{4}-\d\d-\d\dT[^']+Z'/g, NOW) }),
)

interface Table {
  readonly Columns: readonly string[]
  readonly Rows: readonly (readonly (string | number | null)[])[]
}

function questionsOver(settings: () => Promise<HeaderValues>): void {
  let service: TestService
  let position: string

  before(async () => {
    service = await testService({ settings: await settings() })
    const api = apiClient({ url: service.url, token: TOKEN })
    const today = `${new Date().toISOString().slice(0, 7)}-01`
    const company = companyOfSize(0.05, { number: 1, today })
    const progress = { begin: () => {}, advance: () => {}, end: () => {} }
    const keys = await createCompany({ api, company, progress })
    await liveAYear({ api, company, progress }, keys)
    const last = await service.post('tenant', { Name: 'the last one' })
    position = last.headers.get('Daybook-Position')!
  })
  after(() => service.discard())

  const ask = async (sql: string): Promise<Table> => {
    const answer = await service.post('warehouse/query', { Sql: sql }, { 'Daybook-At-Least': position })
    expect(answer.status, answer.text).to.equal(200)
    return answer.data as unknown as Table
  }
  const answered = async (title: string) => {
    const { Columns, Rows } = await ask(questions.find((one) => one.title === title)!.sql)
    return Rows.map((row) => Object.fromEntries(Columns.map((name, i) => [name, row[i]])))
  }
  const sum = (rows: readonly Record<string, unknown>[], column: string) =>
    rows.reduce((total, row) => total + Number(row[column]), 0)

  it('asks ten', () => expect(questions).to.have.length(10))

  for (const { title, sql } of questions)
    it(`${title}: is answered with rows`, async () => {
      const { Columns, Rows } = await ask(sql)
      expect(Rows).not.to.deep.equal([])
      for (const row of Rows) expect(row).to.have.length(Columns.length)
      for (const [i, name] of Columns.entries())
        expect(
          Rows.some((row) => row[i] !== null),
          `${name} has a value somewhere`,
        ).to.equal(true)
    })

  it('counts as many running contracts as the API lists', async () => {
    const day = new Date().toISOString().slice(0, 10)
    const filter = `Status eq 'Active' and StartDate le ${day} and EndDate ge ${day}`
    const { pagination } = await service.list('contract', { filter, pageSize: '1' })
    expect(pagination.TotalRecords).to.be.above(0)
    expect(sum(await answered('Rent roll'), 'Contracts')).to.equal(pagination.TotalRecords)
  })

  it('finds the same rents now and in the history of now', async () => {
    const now = await ask(
      'SELECT "Status", "MonthlyRent_Currency", count(*), sum("MonthlyRent_Amount") FROM "wh_Leasing_Contract" WHERE NOT "IsDeleted" GROUP BY 1, 2 ORDER BY 1, 2',
    )
    const then = await ask(questions.find(({ title }) => title === 'The rent roll as it was')!.sql)
    expect(then.Rows).to.deep.equal(now.Rows)
  })

  it('adds up the deposits of all months to what was received', async () => {
    const { pagination } = await service.list('payment', { filter: "Status eq 'Received'", pageSize: '1' })
    expect(sum(await answered('Payments by month'), 'Payments')).to.equal(pagination.TotalRecords)
  })

  it('adds up costs of work orders by currency', async () => {
    const costs = [
      ['EUR', 10.25],
      ['EUR', 20],
      ['USD', 400],
    ] as const
    for (const [Currency, Amount] of costs)
      await service.create('workorder', {
        Title: 'two',
        Category: 'Garden',
        ActualCost: { Amount, Currency },
      })
    const last = await service.post('tenant', { Name: 'after the work orders' })
    position = last.headers.get('Daybook-Position')!
    const of = async (currency: string) =>
      (await answered('Work orders by category')).filter(({ Currency }) => Currency === currency)
    expect(sum(await of('USD'), 'Cost')).to.equal(400)
    const euros = await ask(
      `SELECT sum("ActualCost_Amount") FROM "wh_FacilityManagement_WorkOrder" WHERE NOT "IsDeleted" AND "ActualCost_Currency" = 'EUR'`,
    )
    expect(sum(await of('EUR'), 'Cost')).to.be.closeTo(Number(euros.Rows[0]![0]), 0.001)
  })

  it('finds every delete, and those that were taken back', async () => {
    const rows = await answered('What was deleted, and who deleted it')
    const gone = await ask('SELECT count(*) FROM "wh_Leasing_Contract" WHERE "IsDeleted"')
    expect(rows.filter(({ RestoredAt }) => RestoredAt === null)).to.have.length(Number(gone.Rows[0]![0]))
    expect(rows.some(({ RestoredAt }) => RestoredAt !== null)).to.equal(true)
  })
}

describe('docs/warehouse.md, on SQLite', function () {
  this.timeout(120_000)
  questionsOver(async () => ({}))
})

const postgres = postgresUnderTest()

suiteOf('docs/warehouse.md on PostgreSQL', postgres ? undefined : NO_POSTGRES)(
  'docs/warehouse.md, on PostgreSQL',
  function () {
    this.timeout(120_000)
    whileRunning(postgres!)
    questionsOver(async () => ({ WAREHOUSE_URL: await postgres!.server().newDatabase() }))
  },
)
