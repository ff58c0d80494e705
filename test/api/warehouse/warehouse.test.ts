/** `/api/v1/warehouse` as analysts use it, and as those who want more than they may. */
import { expect } from 'chai'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { testService, TOKEN, type Data, type TestService } from '../../support/service.ts'
import { rowsOfSnapshot } from '../../support/sqlite-rows.ts'

describe('/api/v1/warehouse', function () {
  this.timeout(60_000)
  let service: TestService
  let tenant: Data
  let contract: Data
  let position: string

  before(async () => {
    service = await testService()
    tenant = await service.create('tenant', { Name: '=HYPERLINK("http://x")', City: 'Say "hi", you' })
    contract = await service.create('contract', {
      Tenant: tenant.Id,
      MonthlyRent: { Amount: 1200.1, Currency: 'EUR' },
      StartDate: '2099-01-01',
      Duration: 12,
    })
    await service.patch(`contract/${contract.Id}`, { Status: 'Active', Notes: 'line\nbreak' })
    const other = await service.create('contract', {
      MonthlyRent: { Amount: 0.2, Currency: 'EUR' },
      StartDate: '2099-02-01',
    })
    const deleted = await service.delete(`contract/${other.Id}`)
    position = deleted.headers.get('Daybook-Position')!
  })
  after(() => service.discard())

  const query = (Sql: unknown, headers = {}) =>
    service.post('warehouse/query', { Sql }, { 'Daybook-At-Least': position, ...headers })
  const rows = async (sql: string) => {
    const answer = await query(sql)
    expect(answer.status, answer.text).to.equal(200)
    return (answer.data as unknown as { Rows: unknown[][] }).Rows
  }
  const download = async (path: string) => {
    const headers = { Authorization: `Bearer ${TOKEN}`, 'Daybook-At-Least': position }
    const response = await fetch(`${service.url}/api/v1/warehouse/${path}`, { headers })
    return {
      status: response.status,
      headers: response.headers,
      bytes: new Uint8Array(await response.arrayBuffer()),
    }
  }
  const text = async (path: string) => new TextDecoder().decode((await download(path)).bytes)

  it('shows what was written just before, without being asked to wait', async () => {
    for (let round = 0; round < 20; round += 1) {
      const Name = `Written just before ${round}`
      await service.create('building', { Name })
      const answer = await service.post('warehouse/query', {
        Sql: `SELECT "Name" FROM "wh_Leasing_Building" WHERE "Name" = '${Name}'`,
      })
      expect(answer.data).to.have.deep.property('Rows', [[Name]])
    }
  })

  describe('the list of tables', () => {
    it('has a table and a history for every object, and none for what the service keeps for itself', async () => {
      const { status, list } = await service.get('warehouse', { 'Daybook-At-Least': position })
      expect(status).to.equal(200)
      const names = list.map(({ Name }) => String(Name as string))
      expect(names).to.include.members([
        'wh_Leasing_Contract',
        'wh_Leasing_Contract_history',
        'wh_FacilityManagement_WorkOrder',
      ])
      expect(names.filter((name) => /user|token|company|role/i.test(name))).to.deep.equal([])
      const contracts = list.find(({ Name }) => Name === 'wh_Leasing_Contract')!
      expect(contracts).to.include({ Object: 'contract', IsHistory: false, Rows: 2 })
      expect(contracts['Position']).to.be.at.least(4)
    })

    it('counts the events of the own company without a gap, as the audit does', async () => {
      await service.post('identity/companies', {
        Name: 'Other',
        AdminEmail: 'other@example.com',
        AdminPassword: 'a password for others',
      })
      // All before this reading of the audit; the events of the other company count for nothing.
      const { list } = await service.list('audit', { pageSize: '100' })
      expect(list.map(({ Position }) => Position)).to.deep.equal(list.map((_entry, i) => i + 1))
      const shown = await rows('SELECT "Key", _Version, _Position FROM wh_Leasing_Contract_history')
      const entries = list.filter(({ Event }) => (Event as string).startsWith('contract.'))
      expect(shown).to.have.deep.members(
        entries.map(({ Key, Version, Position }) => [Key, Version, Position]),
      )
      // And that one reading, perhaps.
      const { list: tables } = await service.get('warehouse')
      expect(tables[0]!['Position']).to.be.within(list.length, list.length + 1)
    })

    it('says what each column means', async () => {
      const { list } = await service.get('warehouse')
      const contracts = list.find(({ Name }) => Name === 'wh_Leasing_Contract')!
      const columns = contracts['Columns'] as unknown as readonly Record<string, unknown>[]
      expect(columns.map(({ Name }) => Name)).to.include.members([
        ...['Key', 'IsDeleted', 'CreatedAt', 'ModifiedAt', '_Version', '_Position'],
        ...['Tenant', 'Tenant_Name', 'MonthlyRent_Amount', 'MonthlyRent_Currency', 'StartDate'],
      ])
      expect(columns.find(({ Name }) => Name === 'Duration')).to.include({
        Type: 'integer',
        Unit: 'months',
        Field: 'Duration',
        IsCurrent: true,
      })
    })
  })

  describe('a table', () => {
    it('is JSON in the Success wrapper, booleans and amounts as such', async () => {
      const answer = JSON.parse(await text('wh_Leasing_Contract')) as { Success: boolean; Data: object[] }
      expect(answer.Success).to.equal(true)
      expect(answer.Data).to.have.length(2)
      expect(answer.Data[0]).to.deep.include({
        Key: contract.Id,
        IsDeleted: false,
        Tenant: tenant.Id,
        Tenant_Name: '=HYPERLINK("http://x")',
        MonthlyRent_Amount: 1200.1,
        Notes: 'line\nbreak',
        Status: 'Active',
        _Version: 2,
      })
      expect(answer.Data[1]).to.include({ IsDeleted: true })
    })

    it('is sent to a few at a time: others wait, and nobody is refused', async () => {
      const all = await Promise.all(
        Array.from({ length: 15 }, () => download('wh_Leasing_Tenant?format=csv')),
      )
      expect(all.map(({ status }) => status)).to.deep.equal(Array(15).fill(200))
    })

    it('is let go of when only its head is asked for', async () => {
      const headers = { Authorization: `Bearer ${TOKEN}` }
      for (let i = 0; i < 6; i++) {
        const response = await fetch(`${service.url}/api/v1/warehouse/wh_Leasing_Tenant`, {
          method: 'HEAD',
          headers,
        })
        expect(response.status).to.equal(200)
      }
      expect((await download('wh_Leasing_Tenant')).status).to.equal(200)
    })

    it('is JSON Lines, an object a line', async () => {
      const lines = (await text('wh_Leasing_Contract_history?format=jsonl')).split('\n')
      expect(lines).to.have.length(5)
      expect(lines.at(-1)).to.equal('')
      expect(JSON.parse(lines[1]!)).to.include({
        Key: contract.Id,
        _Version: 2,
        Operation: 'updated',
        ValidTo: null,
      })
    })

    it('is CSV by RFC 4180 that no spreadsheet runs', async () => {
      const { headers } = await download('wh_Leasing_Tenant?format=csv')
      expect(headers.get('Content-Type')).to.equal('text/csv; charset=utf-8; header=present')
      expect(headers.get('Content-Disposition')).to.match(
        /^attachment; filename="wh_Leasing_Tenant-\d{4}-\d\d-\d\d\.csv"$/,
      )
      const csv = await text('wh_Leasing_Tenant?format=csv')
      const [head, line, end] = csv.split('\r\n')
      expect(end).to.equal('')
      expect(head).to.match(/^Key,IsDeleted,CreatedAt,ModifiedAt,_Version,_Position,/)
      expect(line).to.include(`"'=HYPERLINK(""http://x"")"`).and.to.include('"Say ""hi"", you"')
      expect(line).to.match(new RegExp(`^${tenant.Id},false,`))
    })

    it('is Parquet with its types, which another library reads back', async () => {
      const { bytes, headers } = await download('wh_Leasing_Contract?format=parquet')
      expect(headers.get('Content-Type')).to.equal('application/vnd.apache.parquet')
      const file = bytes.buffer
      const types = Object.fromEntries(
        parquetMetadata(file).schema.map(({ name, type, converted_type }) => [name, converted_type ?? type]),
      )
      expect(types).to.include({
        Key: 'UTF8',
        IsDeleted: 'BOOLEAN',
        MonthlyRent_Amount: 'DECIMAL',
        StartDate: 'DATE',
        CreatedAt: 'TIMESTAMP_MILLIS',
        Duration: 'INT64',
      })
      const [first] = await parquetReadObjects({ file })
      expect(first).to.deep.include({
        Key: contract.Id,
        IsDeleted: false,
        StartDate: new Date('2099-01-01'),
        Duration: 12n,
        EndDate: new Date('2099-12-31'),
      })
      // That library turns exact decimals into doubles by a product.
      expect(Math.round((first!['MonthlyRent_Amount'] as number) * 1e4)).to.equal(12_001_000)
    })

    it('is found whatever the case; others are not, and what is asked for must be known', async () => {
      expect((await service.get('warehouse/WH_LEASING_CONTRACT')).status).to.equal(200)
      expect((await service.get('warehouse/wh_Leasing_Nope')).status).to.equal(404)
      expect((await service.get('warehouse/wh__state')).status).to.equal(404)
      expect((await service.get('warehouse/wh_Leasing_Contract?format=xml')).faults).to.deep.equal([
        'format: must be one of json, jsonl, csv, parquet',
      ])
      expect((await service.get('warehouse/wh_Leasing_Contract?limit=1')).status).to.equal(400)
    })
  })

  it('is a dated snapshot: an SQLite file that tools open', async () => {
    const { bytes, headers } = await download('snapshot')
    expect(headers.get('Content-Disposition')).to.match(
      /^attachment; filename="warehouse-\d{4}-\d\d-\d\d\.db"$/,
    )
    const found = rowsOfSnapshot(bytes, 'SELECT count(*) AS n FROM wh_Leasing_Contract')
    expect(found).to.deep.equal([{ n: 2 }])
  })

  describe('a question', () => {
    it('says how many rows it takes, up to 50,000', async () => {
      const counting = (rows: number) =>
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${rows}) SELECT i FROM n`
      const ask = (Sql: string, MaxRows: unknown) => service.post('warehouse/query', { Sql, MaxRows })
      const most = await ask(counting(50_000), 50_000)
      expect((most.data['Rows'] as unknown[]).length).to.equal(50_000)
      const few = await ask(counting(3), 2)
      expect(few.faults).to.deep.equal(['Sql: gives more than 2 rows; add a LIMIT, or export the table'])
      for (const wrong of [0, 50_001, 1.5, '9'])
        expect((await ask('SELECT 1', wrong)).faults).to.deep.equal([
          'MaxRows: must be an integer of 1 to 50000',
        ])
    })

    it('is answered with columns and rows', async () => {
      const { status, data } = await query(
        'SELECT Status, IsDeleted, sum(MonthlyRent_Amount) AS Rent FROM wh_Leasing_Contract GROUP BY ALL ORDER BY 1'.replace(
          'GROUP BY ALL',
          'GROUP BY Status, IsDeleted',
        ),
      )
      expect(status).to.equal(200)
      expect(data).to.deep.equal({
        Columns: ['Status', 'IsDeleted', 'Rent'],
        Rows: [
          ['Active', 0, 1200.1],
          ['Draft', 1, 0.2],
        ],
      })
    })

    it('adds amounts up exactly', async () => {
      expect(await rows('SELECT sum(x) FROM (SELECT 0.1 AS x UNION ALL SELECT 0.2)')).to.deep.equal([[0.3]])
    })

    it('is valid JSON whatever the numbers', async () => {
      const largest = Number.MAX_VALUE
      expect(await rows(`SELECT ${largest}, ${-largest}, 5e-324, -0.0, 9e999, 1e21`)).to.deep.equal([
        [largest, -largest, 5e-324, 0, null, 1e21],
      ])
    })

    it('may use CTEs, windows, dates and JSON, and read what columns mean', async () => {
      expect(
        await rows(
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT i, sum(i) OVER (ORDER BY i), date('2026-01-31', '+1 day') FROM n",
        ),
      ).to.deep.equal([
        [1, 1, '2026-02-01'],
        [2, 3, '2026-02-01'],
        [3, 6, '2026-02-01'],
      ])
      expect(await rows(`SELECT value FROM json_each('[1,"a"]')`)).to.deep.equal([[1], ['a']])
      expect(
        await rows(
          "SELECT Unit FROM wh__columns WHERE TableName = 'wh_Leasing_Contract' AND ColumnName = 'Duration'",
        ),
      ).to.deep.equal([['months']])
      expect(await rows("SELECT 9223372036854775807, x'00ff', 9e999")).to.deep.equal([
        ['9223372036854775807', '00ff', null],
      ])
      expect(await rows('SELECT 1; -- and no more\n ;')).to.deep.equal([[1]])
    })

    const refused: readonly (readonly [string, string, RegExp])[] = [
      ['a write', 'DELETE FROM wh_Leasing_Contract', /only queries/],
      [
        'an update behind a CTE',
        'WITH x AS (SELECT 1) UPDATE wh_Leasing_Contract SET Status = 1',
        /only queries/,
      ],
      ['a table of its own', 'CREATE TEMP TABLE t (a)', /only queries/],
      ['another file', "ATTACH '/etc/passwd' AS other", /only queries/],
      ['a copy of the file', "VACUUM INTO '/tmp/stolen.db'", /only queries|authorized/],
      ['a setting', 'PRAGMA query_only = OFF', /only queries/],
      [
        'a setting as a table',
        "SELECT * FROM pragma_table_info('wh_Leasing_Contract')",
        /cannot read|only queries/,
      ],
      ['an extension', "SELECT load_extension('evil')", /cannot be used/],
      ['a file', "SELECT readfile('/etc/passwd')", /no such function|cannot be used/],
      ['the inside of SQLite', "SELECT fts3_tokenizer('x')", /no such function|cannot be used/],
      ['its own tables', 'SELECT * FROM wh__state', /cannot read a table/],
      ['the schema', 'SELECT * FROM sqlite_schema', /cannot read a table/],
      ['its own tables without a column', 'SELECT count(*) FROM WH__STATE', /cannot read a table/],
      ['the schema without a column', 'SELECT count(*) FROM sqlite_master', /cannot read a table/],
      ['pages without a column', 'SELECT count(*) FROM dbstat', /cannot read|only queries/],
      ['settings without a column', 'SELECT count(*) FROM pragma_function_list', /cannot read|only queries/],
      ['pages', 'SELECT * FROM dbstat', /cannot read|only queries/],
      ['two statements', 'SELECT 1; SELECT 2', /only one statement/],
      ['a table that is not there', 'SELECT * FROM wh_Leasing_Nope', /no such table/],
      [
        'too many rows',
        'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT 10001) SELECT i FROM n',
        /more than 10000 rows/,
      ],
      ['a text that is too long', "SELECT printf('%.*c', 100000000, 'x')", /too big/],
      ['a blob that is too long', 'SELECT hex(randomblob(900000000))', /too big|cannot be used/],
      ['nothing', '-- nothing', /no statements/],
      ...['?', '?1', ':status', '@status', '$status'].map(
        (name) =>
          [
            `a parameter ${name}`,
            `SELECT 1 FROM wh_Leasing_Contract WHERE Status = ${name}`,
            /^parameters .* cannot be used/,
          ] as const,
      ),
    ]
    for (const [what, sql, why] of refused)
      it(`that asks for ${what} is refused`, async () => {
        const answer = await query(sql)
        expect(answer.status, answer.text).to.equal(400)
        expect(answer.error.Details[0]!.Field).to.equal('Sql')
        expect(answer.error.Details[0]!.Message).to.match(why)
      })

    it('is told where it went wrong', async () => {
      expect((await query('SELECT Status FRM wh_Leasing_Contract WHERE 1')).faults[0]).to.match(
        /^Sql: near "wh_Leasing_Contract": syntax error \(at position 19\)$/,
      )
    })

    it('must be text, and nothing else', async () => {
      for (const body of [{}, { Sql: 1 }, { Sql: '' }, { Sql: 'SELECT 1', Params: [] }, [], 'x'.repeat(5)])
        expect((await service.post('warehouse/query', body)).status, JSON.stringify(body)).to.equal(400)
      expect((await service.post('warehouse/query', [])).faults).to.deep.equal([': must be a JSON object'])
      expect((await query('SELECT 1'.padEnd(30_000))).status).to.equal(200)
      expect((await query(`SELECT '${'x'.repeat(30_000)}'`)).faults).to.deep.equal([
        'Sql: is longer than 20000 characters',
      ])
    })

    it('that never ends is ended, and the next one is answered', async () => {
      const endless = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
      const answer = await query(endless)
      expect(answer.faults).to.deep.equal(['Sql: takes longer than 5 s'])
      expect(await rows('SELECT 1')).to.deep.equal([[1]])
    })

    it('that wants all memory does not get it', async () => {
      const greedy =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 5000) SELECT count(*) FROM (SELECT DISTINCT i || printf('%.*c', 1000000, 'x') FROM n)"
      const answer = await query(greedy)
      expect(answer.status, answer.text.slice(0, 200)).to.equal(400)
      expect(answer.faults[0]).to.match(/^Sql: takes (more memory|longer)/)
      expect(await rows('SELECT 1')).to.deep.equal([[1]])
    })

    it('leaves the event loop to others while it runs', async () => {
      const slow = query(
        'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1500000) SELECT count(*) FROM n',
      )
      const started = performance.now()
      for (let i = 0; i < 20; i++) await service.get(`contract/${contract.Id}`)
      const took = performance.now() - started
      expect(took).to.be.below(4_000)
      expect((await slow).status).to.equal(200)
    })
  })

  it('needs a principal', async () => {
    for (const path of ['warehouse', 'warehouse/wh_Leasing_Contract', 'warehouse/snapshot'])
      expect((await service.get(path, { Authorization: 'Bearer no' })).status).to.equal(401)
    expect((await query('SELECT 1', { Authorization: 'Bearer no' })).status).to.equal(401)
  })

  it('takes other methods for what they are', async () => {
    expect((await service.put('warehouse/query', {})).status).to.equal(405)
    expect((await service.delete('warehouse/wh_Leasing_Contract')).status).to.equal(405)
  })

  it('has logged nothing', () => expect(service.logged).to.deep.equal([]))
})
