/** The warehouse on SQLite: its contract, and what is particular to a folder of files. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { compareFiles } from '../../../scripts/verify/compare-files.ts'
import {
  sqliteWarehouseStore,
  type WarehouseStore,
} from '../../../src/adapters/sqlite/warehouse/projection-store.ts'
import type { Definitions } from '../../../src/domain/definition.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { objectOfKey } from '../../../src/domain/records/key.ts'
import { WAREHOUSE } from '../../../src/projections/warehouse.ts'
import { tell, warehouseContract, type WarehouseSide } from '../../contracts/warehouse.ts'
import { COMPANIES, randomHistory } from '../../contracts/warehouse/random-history.ts'
import { sampleDefinition, sampleDefinitions } from '../../support/sample-definitions.ts'
import { newFolder } from '../../support/service.ts'
import { rowsOfFile } from '../../support/sqlite-rows.ts'
import { key } from '../../support/write-side.ts'

const NOW = Date.parse('2026-03-01T00:00:00Z')

function openSide(definitions: Definitions, root = newFolder()): WarehouseSide {
  const folder = join(root, 'warehouse')
  const store = sqliteWarehouseStore({ folder, definitions, now: () => NOW })
  const change = (file: string, sql: string) => {
    const db = new DatabaseSync(join(folder, file))
    db.exec(sql)
    db.close()
  }
  return {
    store,
    async fileOf(company) {
      store.ensure(company)
      return join(folder, `${company}.db`)
    },
    async reopen(changed = definitions) {
      await store.close()
      return openSide(changed, root)
    },
    async rebuild(events) {
      const beside = store.beside()
      await tell(beside.store, events, definitions)
      expect(beside.swap()).to.equal(true)
    },
    // Each company's file is as far as it came, as when the process ends between the commits.
    forget: async (position) =>
      change('state.db', `UPDATE state SET value = '${position}' WHERE name = 'position'`),
    spoil: async (company) =>
      change(
        `${company}.db`,
        "UPDATE wh_Leasing_Contract SET Status = 'Wrong'; DELETE FROM wh_Leasing_Tenant_history",
      ),
    async discard() {
      await store.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

describe('the warehouse on SQLite', () =>
  warehouseContract({ open: async (definitions) => openSide(definitions), events: 1_200 }))

describe('the files of the warehouse on SQLite', () => {
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
  const rows = (sql: string, of: string = company) => rowsOfFile(join(folder, `${of}.db`), sql)
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

  it('has columns of types for tools that ask', async () => {
    store.ensure(company)
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
  })

  it('keeps whole amounts as numbers that divide with a fraction', async () => {
    await tell(store, randomHistory('amounts', 200))
    expect(
      rows(
        'SELECT DISTINCT typeof(MonthlyRent_Amount) AS t FROM wh_Leasing_Contract WHERE MonthlyRent_Amount IS NOT NULL',
      ),
    ).to.deep.equal([{ t: 'real' }])
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

  it('asks for a rebuild when an object is kept under another name, until it has been rebuilt', async () => {
    const events = randomHistory('renamed', 100)
    await tell(store, events)
    const tenant = { ...sampleDefinition('tenant'), application: 'Letting' }
    await reopen(new Map([...sampleDefinitions, ['tenant', tenant]]))
    expect(store.isOutdated).to.equal(true)
    await reopen()
    expect(store.isOutdated, 'after a restart in the middle').to.equal(true)
    const beside = store.beside()
    await tell(beside.store, events, definitions)
    beside.swap()
    await reopen()
    expect(store.isOutdated).to.equal(false)
    expect(rows('SELECT count(*) AS n FROM wh_Letting_Tenant')[0]!['n']).to.be.above(1)
  })

  it('asks for a rebuild when another field stands for the records of an object', async () => {
    const events = randomHistory('other names', 100)
    await tell(store, events)
    const tenant = { ...sampleDefinition('tenant'), display: 'Email' }
    await reopen(new Map([...sampleDefinitions, ['tenant', tenant]]))
    expect(store.isOutdated).to.equal(true)
    const beside = store.beside()
    await tell(beside.store, events, definitions)
    beside.swap()
    const differ = rows(
      'SELECT c.Key FROM wh_Leasing_Contract c JOIN wh_Leasing_Tenant t ON t.Key = c.Tenant WHERE c.Tenant_Name IS NOT t.Email',
    )
    expect(differ).to.deep.equal([])
    await reopen()
    expect(store.isOutdated).to.equal(false)
  })

  it('asks for a rebuild of files whose histories say neither who nor why', async () => {
    const events = randomHistory('before names', 100)
    await tell(store, events)
    const inFile = (file: string, sql: string) => {
      const db = new DatabaseSync(join(folder, file))
      db.exec(sql)
      db.close()
    }
    inFile('state.db', "UPDATE state SET value = json_remove(value, '$.layout') WHERE name = 'catalogue'")
    for (const company of COMPANIES)
      inFile(
        `${company}.db`,
        `UPDATE wh__state SET Catalogue = json_remove(Catalogue, '$.layout'); DROP TABLE wh__actors;
         ALTER TABLE wh_Leasing_Tenant_history DROP COLUMN "ChangedBy_Name";
         ALTER TABLE wh_Leasing_Tenant_history DROP COLUMN "Reason"`,
      )
    await reopen()
    expect(store.isOutdated).to.equal(true)
    const nameless = 'SELECT count(*) AS n FROM wh_Leasing_Tenant_history WHERE ChangedBy_Name IS NULL'
    expect(rows(nameless)[0]!['n']).to.be.above(1)
    const beside = store.beside()
    await tell(beside.store, events, definitions)
    beside.swap()
    expect(rows(nameless)[0]!['n']).to.equal(0)
    await reopen()
    expect(store.isOutdated).to.equal(false)
  })

  it('does not put in place what has not come as far as what is there', async () => {
    const events = randomHistory('behind', 100)
    await tell(store, events)
    const beside = store.beside()
    await tell(beside.store, events.slice(0, 50))
    expect(beside.swap()).to.equal(false)
    await tell(beside.store, events.slice(50))
    expect(beside.swap()).to.equal(true)
  })

  it('shows no name that was given in a transaction that came to nothing', async () => {
    const step = (position: number, key: string, version: number, fields: Fields) => {
      const happening = version === 1 ? ('created' as const) : ('changed' as const)
      const on = { company, object: objectOfKey(key)!, key, version, happening, fields }
      const operations = [{ ...on, at: '2026-01-01T00:00:00Z', actor: 'someone', operation: happening }]
      return { position, operations }
    }
    const [tenant, one, other, nowhere] = [
      key('tenant', 1),
      key('contract', 2),
      key('contract', 3),
      key('contract', 4),
    ]
    const apply = (...steps: ReturnType<typeof step>[]) =>
      store.apply([{ projection: WAREHOUSE, steps }], steps.at(-1)!.position)
    const created = step(3, other, 1, { Tenant: tenant })
    await apply(step(1, tenant, 1, { Name: 'Anna' }))
    const failure = await apply(
      step(2, tenant, 2, { Name: 'Berta' }),
      step(3, one, 1, { Tenant: tenant }),
      step(4, nowhere, 2, { Tenant: tenant }),
    ).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(Error)
    await apply(created)
    expect(rows('SELECT Tenant_Name AS name FROM wh_Leasing_Contract')).to.deep.equal([{ name: 'Anna' }])
  })

  it('makes the file of a company that has no records yet', () => {
    mkdirSync(folder, { recursive: true })
    store.ensure('company-new')
    expect(rows('SELECT count(*) AS n FROM wh_Leasing_Contract', 'company-new')).to.deep.equal([{ n: 0 }])
  })
})
