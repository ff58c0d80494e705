/** The warehouses on SQLite: what is in the tables, and that it is the same however the events came. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { compareFiles } from '../../scripts/verify/compare-files.ts'
import {
  sqliteWarehouseStore,
  type WarehouseStore,
} from '../../src/adapters/sqlite/warehouse/projection-store.ts'
import type { Definitions, FieldDefinition } from '../../src/domain/definition.ts'
import type { RecordedEvent } from '../../src/domain/event.ts'
import type { Fields } from '../../src/domain/json.ts'
import type { ProjectionStore } from '../../src/ports/projection-store.ts'
import type { WarehouseOperation } from '../../src/ports/warehouse.ts'
import { WAREHOUSE, warehouseProjection } from '../../src/projections/warehouse.ts'
import { COMPANIES, deliveries, randomHistory } from '../contracts/warehouse/random-history.ts'
import { newEvent } from '../support/events.ts'
import { sampleDefinition, sampleDefinitions } from '../support/sample-definitions.ts'
import { newFolder } from '../support/service.ts'
import { key } from '../support/write-side.ts'

const NOW = Date.parse('2026-03-01T00:00:00Z')

export async function tell(
  store: ProjectionStore<WarehouseOperation>,
  events: readonly RecordedEvent[],
  definitions: Definitions = sampleDefinitions,
): Promise<void> {
  const { project } = warehouseProjection(definitions)
  const steps = events.flatMap((event) => {
    const operations = project(event)
    return operations.length > 0 ? [{ position: event.position, operations }] : []
  })
  await store.apply([{ projection: WAREHOUSE, steps }], events.at(-1)!.position)
}

describe('the warehouses on SQLite', () => {
  let root: string
  let folder: string
  let store: WarehouseStore
  let definitions: Definitions
  const company = COMPANIES[0]

  const open = () => (store = sqliteWarehouseStore({ folder, definitions, now: () => NOW }))
  const reopen = async (changed = definitions) => {
    await store.close()
    definitions = changed
    return open()
  }
  const rows = (sql: string, of: string = company) => {
    const db = new DatabaseSync(join(folder, `${of}.db`), { readOnly: true })
    try {
      return db
        .prepare(sql)
        .all()
        .map((row) => ({ ...row }))
    } finally {
      db.close()
    }
  }
  beforeEach(() => {
    root = newFolder()
    folder = join(root, 'warehouse')
    definitions = sampleDefinitions
    open()
  })
  afterEach(async () => {
    await store.close()
    rmSync(root, { recursive: true, force: true })
  })

  describe('one record', () => {
    const tenant = key('tenant', 1)
    const contract = key('contract', 1)
    let position = 0
    const happened = (
      stream: string,
      version: number,
      type: string,
      data: Fields,
      at: string,
    ): RecordedEvent => ({
      ...newEvent({ type, data, company, metadata: { at, actor: 'user-1' } }),
      stream,
      version,
      position: ++position,
    })
    beforeEach(() => (position = 0))

    const story = () => [
      happened(tenant, 1, 'tenant.created', { Name: 'Anna' }, '2026-01-01T10:00:00.500Z'),
      happened(
        contract,
        1,
        'contract.created',
        {
          ContractNumber: 'CON-1',
          Tenant: tenant,
          MonthlyRent: { Amount: 0.1, Currency: 'EUR' },
          AutoRenews: false,
        },
        '2026-01-02T10:00:00.000Z',
      ),
      happened(contract, 2, 'contract.workflow.approved', { Status: 'Active' }, '2026-01-03T10:00:00.000Z'),
      happened(tenant, 2, 'tenant.updated', { Name: 'Anna Berg' }, '2026-01-04T10:00:00.000Z'),
      happened(contract, 3, 'contract.updated', { MonthlyRent: null }, '2026-01-05T10:00:00.000Z'),
      happened(contract, 4, 'contract.deleted', {}, '2026-01-06T10:00:00.000Z'),
    ]

    it('is a row with its present state, names of lookups included', async () => {
      await tell(store, story())
      const [row] = rows('SELECT * FROM wh_Leasing_Contract')
      expect(row).to.include({
        Key: contract,
        IsDeleted: 1,
        CreatedAt: '2026-01-02T10:00:00Z',
        ModifiedAt: '2026-01-06T10:00:00Z',
        ContractNumber: 'CON-1',
        Tenant: tenant,
        Tenant_Name: 'Anna Berg',
        MonthlyRent_Amount: null,
        MonthlyRent_Currency: null,
        AutoRenews: 0,
        SignedAt: null,
        _Version: 4,
        _Position: 6,
      })
    })

    it('is a row for every version, each from when to when, with the names of then', async () => {
      await tell(store, story())
      expect(
        rows(
          'SELECT _Version, ValidFrom, ValidTo, Operation, ChangedBy, IsDeleted, Status, Tenant_Name, MonthlyRent_Amount FROM wh_Leasing_Contract_history ORDER BY _Version',
        ).map((row) => Object.values(row)),
      ).to.deep.equal([
        [1, '2026-01-02T10:00:00Z', '2026-01-03T10:00:00Z', 'created', 'user-1', 0, null, 'Anna', 0.1],
        [
          2,
          '2026-01-03T10:00:00Z',
          '2026-01-05T10:00:00Z',
          'workflow.approved',
          'user-1',
          0,
          'Active',
          'Anna',
          0.1,
        ],
        [
          3,
          '2026-01-05T10:00:00Z',
          '2026-01-06T10:00:00Z',
          'updated',
          'user-1',
          0,
          'Active',
          'Anna Berg',
          null,
        ],
        [4, '2026-01-06T10:00:00Z', null, 'deleted', 'user-1', 1, 'Active', 'Anna Berg', null],
      ])
    })

    it('never ends before it began, whatever the clock did', async () => {
      const [created] = story()
      const back = happened(tenant, 2, 'tenant.updated', { Name: 'B' }, '2025-12-31T10:00:00.000Z')
      await tell(store, [created!, back])
      expect(
        rows('SELECT ValidFrom, ValidTo FROM wh_Leasing_Tenant_history ORDER BY _Version'),
      ).to.deep.equal([
        { ValidFrom: '2026-01-01T10:00:00Z', ValidTo: '2026-01-01T10:00:00Z' },
        { ValidFrom: '2026-01-01T10:00:00Z', ValidTo: null },
      ])
    })

    it('that is changed before it is there stops the projection and leaves no trace', async () => {
      const [created, , , renamed] = story()
      const failure = await tell(store, [renamed!]).catch((error: unknown) => error)
      expect(String(failure)).to.include('is not there')
      expect(await store.position(WAREHOUSE)).to.equal(0)
      await tell(store, [created!])
      expect(rows('SELECT Name FROM wh_Leasing_Tenant')).to.deep.equal([{ Name: 'Anna' }])
    })

    it('is what types it has for tools that ask', async () => {
      await tell(store, story())
      const types = Object.fromEntries(
        rows("SELECT name, type FROM pragma_table_info('wh_Leasing_Contract')").map((row) => [
          String(row['name']),
          row['type'],
        ]),
      )
      expect(types).to.include({
        MonthlyRent_Amount: 'REAL',
        StartDate: 'DATE',
        SignedAt: 'TIMESTAMP',
        AutoRenews: 'BOOLEAN',
        Duration: 'INTEGER',
        Terms: 'TEXT',
      })
      expect(
        rows('SELECT typeof(MonthlyRent_Amount) AS t FROM wh_Leasing_Contract_history LIMIT 1'),
      ).to.deep.equal([{ t: 'real' }])
    })
  })

  describe('a random history', function () {
    this.timeout(60_000)
    const events = randomHistory('warehouse', 1_200)

    /** What a single pass over the events builds. */
    const rebuilt = async () => {
      const other = join(root, 'other')
      const fresh = sqliteWarehouseStore({ folder: other, definitions, now: () => NOW })
      await tell(fresh, events)
      await fresh.close()
      return other
    }
    const differences = (one: string, other: string) =>
      COMPANIES.flatMap((of) =>
        compareFiles(join(one, `${of}.db`), join(other, `${of}.db`)).flatMap((table) => table.differences),
      )

    for (const batch of [1, 7, 1_000])
      it(`comes out byte for byte the same in batches of ${batch}, every tenth event twice`, async () => {
        for (const delivered of deliveries(events, batch)) await tell(store, delivered)
        await store.close()
        expect(differences(folder, await rebuilt())).to.deep.equal([])
        open()
        for (const of of COMPANIES)
          expect(rows('SELECT count(*) AS n FROM wh_Leasing_Contract_history', of)[0]!['n']).to.be.above(100)
      })

    it('is the same after a stop at any moment, with each file as far as it came', async () => {
      const [first, second] = [events.slice(0, 700), events.slice(700)]
      await tell(store, first)
      // One company's file is ahead of what is remembered, as when the process ends between the two commits.
      const state = new DatabaseSync(join(folder, 'state.db'))
      state.exec("UPDATE state SET value = '100' WHERE name = 'position'")
      state.close()
      await reopen()
      expect(await store.position(WAREHOUSE)).to.equal(100)
      await tell(store, first)
      await tell(store, second)
      await store.close()
      expect(differences(folder, await rebuilt())).to.deep.equal([])
      open()
    })

    it('is made up for where a file has lost its last commits, or is gone', async () => {
      await tell(store, events)
      await store.close()
      for (const name of readdirSync(folder)) if (name.startsWith(company)) rmSync(join(folder, name))
      open()
      expect(await store.position(WAREHOUSE)).to.equal(0)
      await tell(store, events)
      await store.close()
      expect(differences(folder, await rebuilt())).to.deep.equal([])
      open()
    })

    it('can be rebuilt beside what is served, which stays until the new one takes its place', async () => {
      await tell(store, events)
      const damage = new DatabaseSync(join(folder, `${company}.db`))
      damage.exec("UPDATE wh_Leasing_Contract SET Status = 'Wrong'; DELETE FROM wh_Leasing_Tenant_history")
      damage.close()
      const reader = new DatabaseSync(join(folder, `${company}.db`), { readOnly: true })
      const wrong = reader.prepare("SELECT count(*) AS n FROM wh_Leasing_Contract WHERE Status = 'Wrong'")
      const beside = store.beside()
      await tell(beside.store, events)
      expect(wrong.get()!['n']).to.be.above(0)
      beside.swap()
      expect(wrong.get()!['n']).to.equal(0)
      reader.close()
      expect(existsSync(join(folder, 'rebuilding'))).to.equal(false)
      await store.close()
      expect(differences(folder, await rebuilt())).to.deep.equal([])
      open()
    })
  })

  describe('changed definitions', () => {
    const tenantWith = (
      change: (fields: readonly FieldDefinition[]) => readonly FieldDefinition[],
    ): Definitions => {
      const tenant = sampleDefinition('tenant')
      return new Map([...sampleDefinitions, ['tenant', { ...tenant, fields: change(tenant.fields) }]])
    }
    const event = (position: number, version: number, data: Fields): RecordedEvent => ({
      ...newEvent({ type: version === 1 ? 'tenant.created' : 'tenant.updated', data, company }),
      stream: key('tenant', 1),
      version,
      position,
    })
    const first = event(1, 1, { Name: 'Anna', Score: 1.5, Phone: '12' })
    const withText = () =>
      tenantWith((fields) => [
        ...fields.filter((field) => !['Score', 'Phone'].includes(field.name)),
        { name: 'Score', type: 'text' },
        { name: 'Nickname', type: 'text' },
      ])

    it('add columns, keep those of removed fields, and give a changed type one of its own', async () => {
      await tell(store, [first])
      await reopen(withText())
      expect(store.isOutdated).to.equal(false)
      await tell(store, [event(2, 2, { Score: 'high', Nickname: 'An' })], definitions)
      expect(rows('SELECT Score, Score_Text, Phone, Nickname FROM wh_Leasing_Tenant')).to.deep.equal([
        { Score: null, Score_Text: 'high', Phone: '12', Nickname: 'An' },
      ])
      expect(
        rows('SELECT _Version, Score, Score_Text FROM wh_Leasing_Tenant_history ORDER BY _Version'),
      ).to.deep.equal([
        { _Version: 1, Score: 1.5, Score_Text: null },
        { _Version: 2, Score: null, Score_Text: 'high' },
      ])
      expect(
        rows('SELECT ColumnName, Change FROM wh__schema_log WHERE ColumnName IS NOT NULL ORDER BY Entry'),
      ).to.have.deep.members([
        { ColumnName: 'Score', Change: 'column retired' },
        { ColumnName: 'Phone', Change: 'column retired' },
        { ColumnName: 'Score_Text', Change: 'column added' },
        { ColumnName: 'Nickname', Change: 'column added' },
      ])
    })

    it('give a type that comes back its column back, and a rebuild puts all values where they were', async () => {
      await tell(store, [first])
      await reopen(withText())
      await tell(store, [event(2, 2, { Score: 'high' })], definitions)
      await reopen(sampleDefinitions)
      await tell(store, [event(3, 3, { Score: 2 })])
      const history = () => rows('SELECT * FROM wh_Leasing_Tenant_history ORDER BY _Version')
      const live = history()
      expect(live.map((row) => [row['Score'], row['Score_Text']])).to.deep.equal([
        [1.5, null],
        [null, 'high'],
        [2, null],
      ])
      const beside = store.beside()
      await tell(beside.store, [first, event(2, 2, { Score: 'high' }), event(3, 3, { Score: 2 })])
      beside.swap()
      expect(history()).to.deep.equal(live)
    })

    it('ask for a rebuild when an object is kept under another name', async () => {
      await tell(store, [first])
      const tenant = { ...sampleDefinition('tenant'), application: 'Letting' }
      await reopen(new Map([...sampleDefinitions, ['tenant', tenant]]))
      expect(store.isOutdated).to.equal(true)
    })
  })
  it('makes the file of a company that has no records yet', () => {
    mkdirSync(folder, { recursive: true })
    store.ensure('company-new')
    expect(rows('SELECT count(*) AS n FROM wh_Leasing_Contract', 'company-new')).to.deep.equal([{ n: 0 }])
  })
})
