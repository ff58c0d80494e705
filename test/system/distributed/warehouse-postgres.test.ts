/** A service with its warehouse on PostgreSQL: what analysts take out of it, and the server killed and brought back. */
import { expect } from 'chai'
import { parquetReadObjects } from 'hyparquet'
import pg from 'pg'
import { join } from 'node:path'
import { verifyWarehouse } from '../../../scripts/verify/verify-warehouse.ts'
import { withInternal } from '../../../src/compose/parts/definitions.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import { NO_POSTGRES, postgresUnderTest } from '../../engines/postgres-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { testService, TOKEN, type Answer, type Data, type TestService } from '../../support/service.ts'
import { rowsOfSnapshot } from '../../support/sqlite-rows.ts'
import { eventually } from '../support/eventually.ts'

const postgres = postgresUnderTest()
const suite = suiteOf('a service with its warehouse on PostgreSQL', postgres ? undefined : NO_POSTGRES)

const definitions = withInternal(
  loadDefinitions([join(import.meta.dirname, '..', '..', '..', 'definitions')]),
)

suite(`a service with its warehouse on ${postgres?.name ?? 'PostgreSQL'}`, function () {
  this.timeout(120_000)
  whileRunning(postgres!)
  let service: TestService
  let postgresUrl = ''
  let position = ''
  let tenants: readonly Data[]

  const written = (answer: Answer) => {
    expect(answer.status, answer.text.slice(0, 300)).to.be.below(300)
    position = answer.headers.get('Daybook-Position')!
    return answer
  }
  before(async () => {
    postgresUrl = await postgres!.server().newDatabase()
    service = await testService({ settings: { WAREHOUSE_URL: postgresUrl } })
    const Records = ['Ann', 'tab\tand\nline \\ "quoted"', '=1+1', 'Zoë'].map((Name) => ({ Name }))
    tenants = written(await service.post('tenant/batch', { Records })).list
    const contract = { Tenant: tenants[0]!.Id, MonthlyRent: { Amount: 900.1, Currency: 'EUR' } }
    written(await service.post('contract', { ...contract, StartDate: '2999-01-01' }))
    written(await service.patch(`tenant/${tenants[0]!.Id}`, { Name: 'Anna' }))
    written(await service.delete(`tenant/${tenants[2]!.Id}`))
  })
  after(() => service?.discard())

  const query = (Sql: string) => service.post('warehouse/query', { Sql }, { 'Daybook-At-Least': position })
  const rows = async (sql: string) => {
    const answer = await query(sql)
    expect(answer.status, answer.text.slice(0, 300)).to.equal(200)
    return (answer.data as unknown as { Rows: unknown[][] }).Rows
  }
  const download = async (path: string) => {
    const response = await fetch(`${service.url}/api/v1/warehouse/${path}`, {
      headers: { Authorization: `Bearer ${TOKEN}`, 'Daybook-At-Least': position },
    })
    expect(response.status).to.equal(200)
    return new Uint8Array(await response.arrayBuffer())
  }
  const text = async (path: string) => new TextDecoder().decode(await download(path))
  const names = ['Anna', 'tab\tand\nline \\ "quoted"', '=1+1', 'Zoë']

  it('answers in SQL what was written', async () => {
    expect(await rows('SELECT "Name", "IsDeleted" FROM "wh_Leasing_Tenant" ORDER BY "Key"')).to.deep.equal(
      names.map((name, i) => [name, i === 2]),
    )
    expect(
      await rows('SELECT "Tenant_Name", "MonthlyRent_Amount", "StartDate" FROM "wh_Leasing_Contract"'),
    ).to.deep.equal([['Anna', 900.1, '2999-01-01']])
  })

  it('lists its tables with their rows', async () => {
    const { list } = await service.get('warehouse', { 'Daybook-At-Least': position })
    const table = list.find(({ Name }) => Name === 'wh_Leasing_Tenant')!
    expect(table).to.include({ Rows: 4 })
  })

  it('has the same rows in every format, and as a file', async () => {
    const json = JSON.parse(await text('wh_Leasing_Tenant?format=json')) as { Data: { Name: string }[] }
    expect(json.Data.map(({ Name }) => Name)).to.deep.equal(names)
    expect(json.Data[2]).to.include({ IsDeleted: true })
    const lines = (await text('wh_Leasing_Tenant?format=jsonl')).trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line) as object)).to.deep.equal(json.Data)
    expect(await text('wh_Leasing_Tenant?format=csv'))
      .to.include("'=1+1")
      .and.include('"tab\tand\nline')
    const bytes = await download('wh_Leasing_Tenant?format=parquet')
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength)
    const found = await parquetReadObjects({ file })
    expect(found.map((row) => row['Name'] as string)).to.deep.equal(names)
    const snapshot = await download('snapshot')
    expect(rowsOfSnapshot(snapshot, 'SELECT Name FROM wh_Leasing_Tenant ORDER BY Key')).to.deep.equal(
      names.map((Name) => ({ Name })),
    )
    expect(
      rowsOfSnapshot(snapshot, 'SELECT count(*) AS n FROM wh_Leasing_Tenant_history WHERE ValidTo IS NULL'),
    ).to.deep.equal([{ n: 4 }])
  })

  it('takes writes while the server is away, answers 503, and catches up when it is back', async () => {
    await postgres!.server().kill()
    written(await service.post('tenant', { Name: 'meanwhile' }))
    const away = await service.post('warehouse/query', { Sql: 'SELECT 1' })
    expect(away.status, away.text.slice(0, 300)).to.equal(503)
    await postgres!.server().start()
    await eventually(
      'it has caught up',
      async () =>
        expect(
          await rows(`SELECT count(*) FROM "wh_Leasing_Tenant" WHERE "Name" = 'meanwhile'`),
        ).to.deep.equal([[1]]),
      40_000,
    )
  })

  it('is what the events say, and it is noticed when it is not', async () => {
    const url = postgresUrl
    const of = { dataDir: service.dataDir, definitions, warehouseUrl: url }
    const { tables, differences } = await verifyWarehouse(of)
    expect(differences).to.deep.equal([])
    expect(tables.find(({ table }) => table === 'wh_Leasing_Tenant')!.totals).to.include({
      rows: 5,
      deleted: 1,
    })
    const client = new pg.Client(url)
    await client.connect()
    await client.query(`UPDATE "wh_Leasing_Tenant" SET "Name" = 'Zoé' WHERE "Name" = 'Zoë'`)
    const found = (await verifyWarehouse(of)).differences.join()
    await client.query(`UPDATE "wh_Leasing_Tenant" SET "Name" = 'Zoë' WHERE "Name" = 'Zoé'`)
    await client.end()
    expect(found).to.match(/wh_Leasing_Tenant: only in the kept: .*Zoé/)
  })

  it('stays as it was over a restart of the service', async () => {
    await service.restart()
    expect(await rows('SELECT count(*) FROM "wh_Leasing_Tenant"')).to.deep.equal([[5]])
  })

  it('comes out the same when it is rebuilt, and is written on', async () => {
    const all = 'SELECT * FROM "wh_Leasing_Tenant_history" ORDER BY "Key", "_Version"'
    const before = await rows(all)
    expect((await service.post('projections/warehouse/rebuild')).status).to.equal(202)
    await eventually('it is rebuilt', async () => {
      const { list } = await service.get('projections')
      expect(list.find(({ Name }) => Name === 'warehouse')).to.include({ State: 'live' })
    })
    expect(await rows(all)).to.deep.equal(before)
    written(await service.patch(`tenant/${tenants[1]!.Id}`, { Name: 'Berta' }))
    expect(await rows('SELECT "Name" FROM "wh_Leasing_Tenant" ORDER BY "Key"')).to.deep.include(['Berta'])
  })
})
