/** The questions of the docs, asked over HTTP of the demo's company and its year. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { makeDemo } from '../../../scripts/demo/make.ts'
import { runService } from '../../../scripts/demo/run-service.ts'
import type { Service } from '../../../src/compose/start-service.ts'
import { NO_POSTGRES, postgresUnderTest } from '../../engines/postgres-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { client, newFolder, textOf, TOKEN, type Data, type HeaderValues } from '../../support/service.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'warehouse.md'), 'utf8')
const HALF_A_YEAR = 183 * 86_400_000
const now = Date.now()
const THEN = `'${new Date(now - HALF_A_YEAR).toISOString().slice(0, 19)}Z'`
const questions = [...page.matchAll(/^### \d+\. (.+)\n[\s\S]*?```sql\n([\s\S]*?)```/gm)].map(
  // The moment of the page is one that its readers replace.
  ([, title, sql]) => ({ title: title!, sql: sql!.replaceAll(/'\d{4}-\d\d-\d\dT[^']+Z'/g, THEN) }),
)

interface Table {
  readonly Columns: readonly string[]
  readonly Rows: readonly (readonly (string | number | null)[])[]
}

/** The demo, made and served again, with the clock of the machine. */
function served(settings: () => Promise<HeaderValues>) {
  const dataDir = newFolder()
  const warnings: string[] = []
  const note = (fields: object, message: string) => void warnings.push(`${message} ${JSON.stringify(fields)}`)
  const log = { debug: () => {}, info: () => {}, warn: note, error: note }
  let service: Service | undefined
  before(async () => {
    const made = { dataDir, log, settings: { PORT: '0', ...(await settings()) } }
    const progress = { begin: () => {}, advance: () => {}, end: () => {} }
    await makeDemo({ ...made, scale: 0.04, now, token: TOKEN, password: 'a password for tests', progress })
    service = await runService(made)
  })
  after(async () => {
    await service?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return { client: client(() => service!.url), warnings }
}

function questionsOver(settings: () => Promise<HeaderValues>) {
  const { client: service, warnings } = served(settings)
  let position: string

  before(async () => {
    const last = await service.post('tenant', { Name: 'the last one' })
    position = last.headers.get('Daybook-Position')!
  })

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
    const current = await ask(
      'SELECT "Status", "MonthlyRent_Currency", count(*), sum("MonthlyRent_Amount") FROM "wh_Leasing_Contract" WHERE NOT "IsDeleted" GROUP BY 1, 2 ORDER BY 1, 2',
    )
    const { sql } = questions.find(({ title }) => title === 'The rent roll as it was')!
    const tomorrow = `'${new Date(now + 86_400_000).toISOString().slice(0, 19)}Z'`
    const then = await ask(sql.replaceAll(THEN, tomorrow))
    expect(then.Rows).to.deep.equal(current.Rows)
    // A year has made a difference.
    expect((await ask(sql)).Rows).not.to.deep.equal(current.Rows)
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
    for (const { DeletedBy } of rows) expect(DeletedBy).to.be.oneOf(['Ingrid Solberg', 'Tomáš Novák'])
    expect(rows.map(({ Reason }) => Reason)).to.include('Entered twice')
  })

  it('says that contracts stay in force for months', async () => {
    const rows = await answered('How long contracts stay in a state')
    expect(rows.find(({ Status }) => Status === 'Active')!['AverageDays']).to.be.above(60)
  })
  return { service, warnings }
}

describe('the demo, asked the questions of the docs', function () {
  this.timeout(300_000)
  const { service, warnings } = questionsOver(async () => ({}))
  const listed = async (path: string): Promise<readonly Data[]> => {
    const answer = await service.get(path)
    expect(answer.status, answer.text).to.equal(200)
    return answer.list
  }
  const count = async (path: string) => (await service.get(path)).pagination.TotalRecords
  const dayBefore = (days: number) => new Date(now - days * 86_400_000).toISOString().slice(0, 10)

  it('was made without trouble', () => expect(warnings).to.deep.equal([]))

  it('has a past of a year, in the order of time', async () => {
    for (let days = 0; days < 360; days += 30)
      expect(await count(`audit?pageSize=1&from=${dayBefore(days + 30)}&to=${dayBefore(days)}`)).to.be.above(
        20,
      )
    const entries = await listed('audit?object=contract&event=contract.workflow.*&pageSize=100')
    const times = entries.map((entry) => textOf(entry, 'At'))
    expect(times).to.deep.equal(times.toSorted())
    expect(await count(`audit?pageSize=1&from=${dayBefore(-1)}`)).to.equal(0)
  })

  it('shows a contract that was submitted by one, approved by another, mistyped and corrected', async () => {
    const [corrected] = await listed('audit?object=contract&reason=Typing%20error')
    const history = await listed(`contract/${textOf(corrected, 'Key')}/history`)
    expect(history.some(({ Reason }) => /^Typing error/.test(Reason as string))).to.equal(true)
    const [approved] = await listed('audit?object=contract&event=contract.workflow.approved&sort=-Position')
    const story = await listed(`contract/${textOf(approved, 'Key')}/history`)
    const by = new Set(story.map(({ By }) => (By as { Name: string }).Name))
    expect(by.size).to.be.above(1)
  })

  it('shows records and lists as they were', async () => {
    const filter = encodeURIComponent("Status eq 'Active'")
    const before = await listed(
      `contract?asOf=${dayBefore(183)}&filter=${filter}&pageSize=100&sort=ContractNumber`,
    )
    const today = await listed(`contract?filter=${filter}&pageSize=100&sort=ContractNumber`)
    expect(before).not.to.be.empty
    expect(before.map(({ Id }) => Id)).not.to.deep.equal(today.map(({ Id }) => Id))
    const [renamed] = await listed('audit?object=tenant&event=tenant.updated&field=Name')
    const key = textOf(renamed, 'Key')
    const { data: then } = await service.get(`tenant/${key}?asOf=${dayBefore(330)}`)
    const { data: current } = await service.get(`tenant/${key}`)
    expect(then['Name']).not.to.equal(current['Name'])
  })

  it('has what an auditor asks for', async () => {
    for (const question of [
      'object=contract&event=contract.updated&field=MonthlyRent&reason=none',
      'object=contract&event=contract.deleted',
      'object=contract&event=contract.restored',
      'object=contract&event=contract.workflow.rejected',
      'object=contract&event=contract.workflow.expired',
      'object=user&field=Name',
      'object=user&field=IsActive',
      'object=token&event=token.deleted',
      'actor=Ingrid%20Solberg',
      // Under the name that she has now, also what she did before.
      'actor=Am%C3%A9lie%20Laurent-Dubois',
      'actor=nadia.rahman@example.com',
    ])
      expect(await count(`audit?pageSize=1&${question}`), question).to.be.above(0)
    const expired = await listed('audit?object=contract&event=contract.workflow.expired&pageSize=1')
    expect(expired[0]!['At']).to.match(/T00:01/)
  })

  it('tells a copy what has changed', async () => {
    const { json } = await service.get('contract/changes?pageSize=100')
    expect(json['Data']).to.have.length(100)
  })

  it('has what other systems have sent, by their names', async () => {
    const sent = await listed('integrations?pageSize=100')
    expect(sent.map(({ Definition, State }) => [Definition, State])).to.have.deep.members([
      ['adyen', 'running'],
      ['bamboohr', 'paused'],
      ['gocardless', 'running'],
      ['mollie', 'paused'],
      ['paypal', 'paused'],
      ['scim', 'running'],
      ['senml-http', 'running'],
      ['sharepoint', 'paused'],
      ['square', 'running'],
      ['stripe', 'running'],
      ['tripletex', 'paused'],
      ['vipps', 'running'],
      ['webdav', 'paused'],
      ['website-form', 'running'],
      ['xero', 'paused'],
    ])
    const messages = async (definition: string, state: string) => {
      const integration = sent.find(({ Definition }) => Definition === definition)!
      return count(`integrations/${integration.Id}/inbox?pageSize=1&state=${state}`)
    }
    // A server of SCIM answers at once.
    for (const { Definition } of sent.filter((one) => one['Definition'] !== 'scim'))
      expect(await messages(Definition as string, 'applied'), Definition as string).to.be.at.least(2)
    for (const { Id, Definition } of sent)
      expect(await count(`integrations/${Id}/sent?pageSize=1&state=failed`), Definition as string).to.equal(0)
    expect(await messages('website-form', 'quarantined')).to.be.above(0)
    for (const Definition of ['xero', 'tripletex']) {
      const { Id } = sent.find((one) => one.Definition === Definition)!
      expect(await count(`integrations/${Id}/sent?pageSize=1&state=sent`), Definition).to.be.above(1)
    }
    expect(await count('document?pageSize=1')).to.be.at.least(5)
    expect(await count('employee?pageSize=1')).to.equal(7)
    expect(await count('lead?pageSize=1')).to.be.above(8)
    expect(await count('sensorreading?pageSize=1')).to.be.above(200)
    const [card] = await listed(`payment?filter=${encodeURIComponent("GatewayReference eq 'pi_0'")}`)
    const [made] = await listed(`payment/${card!.Id}/history`)
    expect(made!['By']).to.include({ Name: 'Stripe (integration)' })
  })

  it('has a year of bank statements, most lines matched by the service, and a gap that was closed', async () => {
    expect(await count('invoice?pageSize=1')).to.equal(304)
    const statements = await listed('bankstatement?pageSize=100&sort=To')
    expect(statements).to.have.length(12)
    expect(statements.map(({ Check }) => Check)).to.deep.equal(statements.map(() => 'Ok'))
    expect(statements.map(({ Format }) => Format)).to.include.members(['mt940', 'camt'])
    expect(await count('audit?object=bankstatement&event=bankstatement.gap')).to.equal(1)
    const lines = (filter: string) => count(`banktransaction?pageSize=1&filter=${encodeURIComponent(filter)}`)
    expect(await lines("MatchRule eq 'reference'")).to.be.above(250)
    expect(await lines("Status in ('Unmatched', 'Proposed')")).to.be.within(1, 10)
    const paid = encodeURIComponent("Status eq 'Paid'")
    expect(await count(`invoice?pageSize=1&filter=${paid}`)).to.be.above(250)
  })
})

const postgres = postgresUnderTest()

suiteOf('docs/warehouse.md on PostgreSQL', postgres ? undefined : NO_POSTGRES)(
  'the demo, asked the questions of docs/warehouse.md, on PostgreSQL',
  function () {
    this.timeout(300_000)
    whileRunning(postgres!)
    questionsOver(async () => ({ WAREHOUSE_URL: await postgres!.server().newDatabase() }))
  },
)
