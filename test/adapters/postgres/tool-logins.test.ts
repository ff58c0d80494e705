/** Logins of tools on PostgreSQL: what each sees, and that what is taken away is gone at once. */
import { expect } from 'chai'
import pg from 'pg'
import { poolOf } from '../../../src/adapters/postgres/connection.ts'
import { postgresWarehouseStore } from '../../../src/adapters/postgres/warehouse/projection-store.ts'
import {
  postgresToolLogins,
  type PostgresToolLogins,
} from '../../../src/adapters/postgres/warehouse/tool-logins.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { evolveCatalogue } from '../../../src/domain/warehouse/catalogue.ts'
import { tableInfosOf } from '../../../src/domain/warehouse/table-infos.ts'
import { readableOf } from '../../../src/rights/granted-tables.ts'
import { tell } from '../../contracts/warehouse.ts'
import { COMPANIES, randomHistory } from '../../contracts/warehouse/random-history.ts'
import { NO_POSTGRES, postgresUnderTest } from '../../engines/postgres-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { sampleDefinitions } from '../../support/sample-definitions.ts'
import { eventually } from '../../system/support/eventually.ts'

const postgres = postgresUnderTest()
const suite = suiteOf('logins of tools on PostgreSQL', postgres ? undefined : NO_POSTGRES)

suite(`a login of a tool on ${postgres?.name ?? 'PostgreSQL'}`, function () {
  this.timeout(60_000)
  whileRunning(postgres!)
  const [own, other] = COMPANIES
  const { catalogue } = evolveCatalogue(undefined, sampleDefinitions, { at: '', position: 0 })
  const everything = readableOf(catalogue.tables.flatMap(tableInfosOf))
  const tenants = { wh_Leasing_Tenant: everything['wh_Leasing_Tenant']! }
  const contracts = { wh_Leasing_Contract: ['Key', 'Status'] }
  const password = 'abcdefghijklmnopqrstuvwxyz-_0123'
  let url: string
  let logins: PostgresToolLogins
  let store: ReturnType<typeof postgresWarehouseStore>
  let ends: (() => Promise<unknown>)[] = []

  before(async () => {
    url = await postgres!.server().newDatabase()
    store = postgresWarehouseStore({ url, definitions: sampleDefinitions, now: () => 0 })
    await tell(store, randomHistory('tools', 300))
    logins = postgresToolLogins(url, { connections: 2, statementMs: 500, idleMs: 500 })
  })
  after(async () => {
    await logins?.close()
    await store?.close()
  })
  afterEach(async () => {
    for (const end of ends.reverse()) await end()
    ends = []
  })

  it('is not there in a new database, which nothing was written to yet', async () => {
    const early = postgresToolLogins(await postgres!.server().newDatabase())
    ends.push(() => early.close())
    expect(await early.endLong()).to.equal(0)
    expect(await early.list()).to.deep.equal([])
    const of = { company: own, key: 'warehouselogin-early' }
    const refused = await early.make(of, { password, readable: everything }).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(Unavailable)
  })

  let made = 0
  const newLogin = async (readable: typeof everything = everything, company: string = own) => {
    const of = { company, key: `warehouselogin-${++made}` }
    const login = await logins.make(of, { password, readable })
    ends.push(() => logins.drop(of))
    return { of, login }
  }
  const connect = async (login: string, secret = password) => {
    const { host, port, database } = logins.server
    const client = new pg.Client({ host, port, database, user: login, password: secret })
    client.on('error', () => {})
    await client.connect()
    ends.push(() => client.end().catch(() => {}))
    return client
  }
  const companies = async (client: pg.Client) => {
    const { rows } = await client.query<{ _Company: string }>(
      'SELECT DISTINCT "_Company" FROM "wh_Leasing_Tenant"',
    )
    return rows.map(({ _Company }) => _Company)
  }
  const failure = async (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => error.message,
    )

  it('sees the rows of its company, by its password only, and cannot write', async () => {
    const { login } = await newLogin()
    const client = await connect(login)
    expect(await companies(client)).to.deep.equal([own])
    expect(await failure(client.query('DELETE FROM "wh_Leasing_Tenant"'))).to.match(/denied|read-only/)
    expect(await failure(connect(login, 'another'))).to.include('password authentication failed')
    const elsewhere = await newLogin(everything, other)
    expect(await companies(await connect(elsewhere.login))).to.deep.equal([other])
    expect(login + elsewhere.login).not.to.include(own)
  })

  it('sees other tables and columns from its next statement on, and those only', async () => {
    const { of, login } = await newLogin(tenants)
    const client = await connect(login)
    const statuses = () => client.query('SELECT "Status" FROM "wh_Leasing_Contract"')
    expect(await failure(statuses())).to.include('permission denied')
    await logins.allow(of, contracts)
    expect((await statuses()).rowCount).to.be.greaterThan(0)
    expect(await failure(client.query('SELECT "MonthlyRent_Amount" FROM "wh_Leasing_Contract"'))).to.include(
      'permission denied',
    )
    expect(await failure(companies(client))).to.include('permission denied')
    await logins.allow(of, contracts)
    expect((await statuses()).rowCount).to.be.greaterThan(0)
  })

  it('takes another password when it is made once more, under the same name', async () => {
    const { of, login } = await newLogin(tenants)
    expect(await logins.make(of, { password: 'another-one', readable: contracts })).to.equal(login)
    expect(await failure(connect(login))).to.include('password authentication failed')
    const client = await connect(login, 'another-one')
    expect((await client.query('SELECT "Key" FROM "wh_Leasing_Contract"')).rowCount).to.be.greaterThan(0)
    expect(await failure(companies(client))).to.include('permission denied')
  })

  it('is listed with whose it is, and is gone with its sessions when it is dropped', async () => {
    const { of, login } = await newLogin()
    const listed = async () => (await logins.list()).find((one) => one.login === login)
    const { rows } = await withPool((pool) =>
      pool.query<{ ms: string }>('SELECT extract(epoch FROM now()) * 1000 AS ms'),
    )
    expect(await listed()).to.include(of)
    expect((await listed())!.madeAt).to.be.within(Number(rows[0]!.ms) - 60_000, Number(rows[0]!.ms))
    const client = await connect(login)
    const ended = new Promise((resolve) => client.once('end', resolve))
    await logins.drop(of)
    await ended
    expect(await listed()).to.equal(undefined)
    expect(await failure(connect(login))).to.include('password authentication failed')
    await logins.drop(of)
  })

  it('is ended when it stands idle in a transaction, or runs one statement, for too long', async () => {
    const { login } = await newLogin()
    const idle = await connect(login)
    const busy = await connect(login)
    const ended = [idle, busy].map((client) => new Promise((resolve) => client.once('end', resolve)))
    await idle.query('BEGIN; SELECT 1')
    await busy.query('SET statement_timeout = 0')
    const failed = failure(
      busy.query('SELECT count(*) FROM generate_series(1, 100000) a, generate_series(1, 100000) b'),
    )
    let ends = 0
    await eventually('both are ended', async () => {
      ends += await logins.endLong()
      expect(ends).to.be.at.least(2)
    })
    expect(await failed).to.match(/terminat/)
    await Promise.all(ended)
  })

  const withPool = async <T>(work: (pool: pg.Pool) => Promise<T>): Promise<T> => {
    const pool = poolOf(url, 1, () => {})
    try {
      return await work(pool)
    } finally {
      await pool.end()
    }
  }
})
