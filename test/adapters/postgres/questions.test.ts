/**
 * What a login of the warehouse can do on PostgreSQL, and cannot: one company's rows, the columns that are granted, and
 * nothing by which it could disturb or watch the others.
 */
import { expect } from 'chai'
import type pg from 'pg'
import { connectAs, poolOf } from '../../../src/adapters/postgres/connection.ts'
import { loginsOf, type Logins } from '../../../src/adapters/postgres/warehouse/grants.ts'
import { postgresWarehouseStore } from '../../../src/adapters/postgres/warehouse/projection-store.ts'
import { askQuestion } from '../../../src/adapters/postgres/warehouse/questions.ts'
import { Invalid } from '../../../src/domain/errors.ts'
import { evolveCatalogue } from '../../../src/domain/warehouse/catalogue.ts'
import { tableInfosOf } from '../../../src/domain/warehouse/table-infos.ts'
import { tell } from '../../contracts/warehouse.ts'
import { COMPANIES, randomHistory } from '../../contracts/warehouse/random-history.ts'
import { NO_POSTGRES, postgresUnderTest } from '../../engines/postgres-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { sampleDefinitions } from '../../support/sample-definitions.ts'

const postgres = postgresUnderTest()
const suite = suiteOf('logins of the warehouse on PostgreSQL', postgres ? undefined : NO_POSTGRES)
const LIMITS = { milliseconds: 1_000, rows: 1_000, characters: 1_000_000 }

suite(`a login of the warehouse on ${postgres?.name ?? 'PostgreSQL'}`, function () {
  this.timeout(60_000)
  whileRunning(postgres!)
  const [own, other] = COMPANIES
  const events = randomHistory('logins', 300)
  const { catalogue } = evolveCatalogue(undefined, sampleDefinitions, { at: '', position: 0 })
  const tables = catalogue.tables.flatMap(tableInfosOf)
  const everything = Object.fromEntries(
    tables.map(({ name, columns }) => [name, columns.map((column) => column.name)]),
  )
  /** Without tenants, and of contracts without what they cost. */
  const some = {
    wh_Leasing_Contract: everything['wh_Leasing_Contract']!.filter((name) => !name.startsWith('MonthlyRent')),
  }
  let url: string
  let pool: pg.Pool
  let logins: Logins
  let store: ReturnType<typeof postgresWarehouseStore>

  before(async () => {
    url = await postgres!.server().newDatabase()
    store = postgresWarehouseStore({ url, definitions: sampleDefinitions, now: () => 0 })
    await tell(store, events)
    pool = poolOf(url, 2, () => {})
    logins = loginsOf(pool, LIMITS.milliseconds)
  })
  after(async () => {
    await pool?.end()
    await store?.close()
  })

  const ask = async (sql: string, company: string = own, readable: typeof everything = everything) => {
    const end = async (pid: number) => void (await pool.query('SELECT pg_terminate_backend($1, 0)', [pid]))
    const answer = await askQuestion({ url, company, logins, limits: LIMITS, tables, end, sql, readable })
    return 'json' in answer ? (JSON.parse(answer.json) as { Columns: string[]; Rows: unknown[][] }) : answer
  }
  const rows = async (...of: Parameters<typeof ask>) => {
    const answer = await ask(...of)
    if (!('Rows' in answer)) throw new Error(answer.forbidden)
    return answer.Rows
  }
  const refusal = async (sql: string, readable?: typeof everything): Promise<string> => {
    try {
      const answer = await ask(sql, own, readable)
      return 'forbidden' in answer ? answer.forbidden : `answered: ${JSON.stringify(answer)}`
    } catch (error) {
      return error instanceof Invalid
        ? error.faults.map((fault) => fault.Message).join()
        : `threw: ${String(error)}`
    }
  }
  const countOf = (company: string) =>
    new Set(
      events
        .filter(({ stream, metadata }) => metadata.company === company && stream.startsWith('tenant-'))
        .map(({ stream }) => stream),
    ).size

  it('sees the rows of its own company', async () => {
    const sql = 'SELECT count(*) FROM "wh_Leasing_Tenant"'
    expect([countOf(own), countOf(other)].every((count) => count > 0)).to.equal(true)
    expect(await rows(sql)).to.deep.equal([[countOf(own)]])
    expect(await rows(sql, other)).to.deep.equal([[countOf(other)]])
    expect(await rows('SELECT DISTINCT "_Company" FROM "wh_Leasing_Contract_history"')).to.deep.equal([[own]])
  })

  for (const [what, sql] of [
    ['a setting', `SELECT set_config('role', 'daybook_warehouse', false)`],
    ['advisory locks', 'SELECT pg_advisory_lock(1)'],
    ['large objects', `SELECT lo_from_bytea(0, 'x')`],
    ['messages in the log', `SELECT pg_logical_emit_message(true, 'x', 'y')`],
    ['notifications', `SELECT pg_notify('x', 'y')`],
    ['snapshots', 'SELECT pg_export_snapshot()'],
    ['sleeping', 'SELECT pg_sleep(1)'],
    ['statistics of tables', `SELECT pg_stat_get_live_tuples('"wh_Leasing_Tenant"'::regclass)`],
    ['who is connected', 'SELECT usename FROM pg_stat_activity'],
    ['locks', 'SELECT * FROM pg_lock_status()'],
    ['SQL in SQL', `SELECT query_to_xml('SELECT 1', true, true, '')`],
    ['transactions', 'SELECT txid_current()'],
    ['sessions', 'SELECT pg_terminate_backend(1)'],
    ['whose logins there are', 'SELECT * FROM wh_own.logins'],
    ['the secret', 'SELECT * FROM wh_own.secret'],
    ['the state', 'SELECT * FROM wh_state.state'],
    ['what is built', 'SELECT * FROM wh_build."wh_Leasing_Tenant"'],
    ['a login', `SELECT wh_own.make_login('wh_a_000000000000000000000000', 'x', 'y', 'z', 1, 1)`],
    ['files', `SELECT pg_read_file('/etc/passwd')`],
    ['passwords', 'SELECT rolpassword FROM pg_authid'],
  ] as const)
    it(`cannot use or see ${what}`, async () =>
      expect(await refusal(sql)).to.match(/permission denied|does not exist/))

  for (const sql of [
    'DELETE FROM "wh_Leasing_Tenant"',
    `WITH gone AS (DELETE FROM "wh_Leasing_Tenant" RETURNING *) SELECT * FROM gone`,
    'SELECT * INTO copied FROM "wh_Leasing_Tenant"',
    'SELECT 1; COMMIT; SELECT 2',
    'CREATE TEMP TABLE x (y int)',
    'SET ROLE daybook_warehouse',
    'DO $$ BEGIN END $$',
    'SELECT $1',
    'EXPLAIN SELECT 1',
    '',
  ])
    it(`takes one query and nothing else: ${sql || 'nothing'}`, async () =>
      expect(await refusal(sql)).not.to.match(/^(answered|threw)/))

  it('cannot reach what is not granted, and is told which columns are not', async () => {
    expect(await refusal('SELECT count("Key") FROM "wh_Leasing_Tenant"', some)).to.equal(
      'you cannot read a table wh_Leasing_Tenant',
    )
    for (const sql of [
      'SELECT * FROM "wh_Leasing_Contract"',
      'SELECT "MonthlyRent_Amount" FROM "wh_Leasing_Contract"',
      'SELECT to_json(c) FROM "wh_Leasing_Contract" c',
      'SELECT "Key" FROM "wh_Leasing_Contract" ORDER BY "MonthlyRent_Amount"',
      'SELECT a."Key" FROM "wh_Leasing_Contract" a JOIN "wh_Leasing_Contract" b ON a."MonthlyRent_Amount" > b."MonthlyRent_Amount"',
      'SELECT 1 FROM "wh_Leasing_Contract" JOIN "wh_Leasing_Contract" b USING ("MonthlyRent_Amount")',
    ])
      expect(await refusal(sql, some), sql).to.include('MonthlyRent_Amount, MonthlyRent_Currency')
    expect(await rows('SELECT count("Key") > 0 FROM "wh_Leasing_Contract"', own, some)).to.deep.equal([
      [true],
    ])
  })

  it('is offered a name with its quotes', async () => {
    expect(await refusal('SELECT Name FROM "wh_Leasing_Tenant"')).to.include('write "Name" with its quotes')
    expect(await refusal('SELECT 1 FROM wh_Leasing_Tenant')).to.include('write "wh_Leasing_Tenant" with its')
  })

  it('is stopped when it takes too long or too much', async () => {
    const numbers = (n: number) => `SELECT generate_series(1, ${n})`
    expect(await refusal(`SELECT count(*) FROM (${numbers(1e9)}) AS n`)).to.include('takes longer than 1 s')
    expect(await refusal(numbers(1_001))).to.include('more than 1000 rows')
    expect(await refusal(`SELECT repeat('x', 1000001)`)).to.include('more than 1 MB')
    expect(await refusal(`SELECT repeat('x', 40000000)`)).to.match(/more than 1 MB/)
    expect(await rows('SELECT 1')).to.deep.equal([[1]])
  })

  it('learns nothing of others from the estimates of a plan', async () => {
    const login = await logins.for(own, everything)
    const client = await connectAs(url, login)
    try {
      const writer = await pool.query('ANALYZE "wh_Leasing_Contract"').then(() => pool)
      const [foreign] = (
        await writer.query<{ ContractNumber: string }>(
          'SELECT "ContractNumber" FROM "wh_Leasing_Contract" WHERE "_Company" = $1 LIMIT 1',
          [other],
        )
      ).rows
      const estimate = async (value: string) => {
        const plan = await client.query<Record<string, string>>(
          `EXPLAIN SELECT 1 FROM "wh_Leasing_Contract" WHERE "ContractNumber" = '${value}'`,
        )
        return plan.rows.map((row) => row['QUERY PLAN']!.replace(value, '?')).join()
      }
      expect(await estimate(foreign!.ContractNumber)).to.equal(await estimate('nothing of the kind'))
    } finally {
      await client.end()
    }
  })

  it('sees nothing once it is dropped, and is made again when it is needed', async () => {
    const login = await logins.for(other, everything)
    const client = await connectAs(url, login)
    await pool.query('SELECT wh_own.drop_login($1)', [login.user])
    const failure = await client.query('SELECT 1').then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).to.be.instanceOf(Error)
    expect(await rows('SELECT count(*) FROM "wh_Leasing_Tenant"', other)).to.deep.equal([[countOf(other)]])
  })

  it('keeps its grants and its rows when the warehouse was rebuilt', async () => {
    const before = await rows('SELECT * FROM "wh_Leasing_Contract" ORDER BY "Key"')
    await rows('SELECT count("Key") FROM "wh_Leasing_Contract"', own, some)
    const beside = store.beside()
    await tell(beside.store, events)
    expect(await beside.swap()).to.equal(true)
    expect(await rows('SELECT * FROM "wh_Leasing_Contract" ORDER BY "Key"')).to.deep.equal(before)
    expect(await rows('SELECT count("Key") > 0 FROM "wh_Leasing_Contract"', own, some)).to.deep.equal([
      [true],
    ])
    expect(await refusal('SELECT * FROM "wh_Leasing_Contract"', some)).to.include('MonthlyRent_Amount')
  })

  it('finds no company named anywhere in the catalogue', async () => {
    const found = await rows(
      `SELECT rolname, rolconfig::text FROM pg_roles UNION ALL SELECT policyname, qual FROM pg_policies
       UNION ALL SELECT description, NULL FROM pg_description WHERE objoid > 16000`,
    )
    expect(found.flat().length).to.be.above(5)
    for (const company of COMPANIES) expect(JSON.stringify(found)).not.to.include(company)
  })
})
