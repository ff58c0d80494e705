/**
 * What every warehouse must hold: the tables as analysts ask them, the same however the events came. Engines run this;
 * they never copy it.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { compareFiles } from '../../scripts/verify/compare-files.ts'
import { sqliteWarehouseStore } from '../../src/adapters/sqlite/warehouse/projection-store.ts'
import { Unavailable } from '../../src/domain/errors.ts'
import type { Definitions, FieldDefinition } from '../../src/domain/definition.ts'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import type { Fields } from '../../src/domain/json.ts'
import { user } from '../../src/identity/objects.ts'
import { integrationDefinition } from '../../src/integrations/objects.ts'
import type { ProjectionStore } from '../../src/ports/projection-store.ts'
import type { WarehouseOperation } from '../../src/domain/warehouse/operation.ts'
import { WAREHOUSE, warehouseProjection } from '../../src/projections/warehouse.ts'
import { newEvent } from '../support/events.ts'
import { sampleDefinition, sampleDefinitions } from '../support/sample-definitions.ts'
import { newFolder } from '../support/service.ts'
import { rowsOfFile } from '../support/sqlite-rows.ts'
import { key } from '../support/write-side.ts'
import { COMPANIES, deliveries, randomHistory } from './warehouse/random-history.ts'

export interface WarehouseSide {
  readonly store: ProjectionStore<WarehouseOperation>
  /** A file with the company's tables as analysts ask them now. */
  fileOf(company: string): Promise<string>
  /** The same warehouse after a restart, perhaps with other definitions. */
  reopen(definitions?: Definitions): Promise<WarehouseSide>
  /** Builds everything anew beside what is there from these events, and puts it in its place. */
  rebuild(events: readonly RecordedEvent[]): Promise<void>
  /** Goes back to an earlier position, as a crash before the checkpoint was moved does. */
  forget(position: number): Promise<void>
  /** Spoils what is stored, behind the store's back. */
  spoil(company: string): Promise<void>
  discard(): Promise<void>
}

export interface WarehouseContract {
  readonly open: (definitions: Definitions) => Promise<WarehouseSide>
  /** How many events the random history has. */
  readonly events: number
}

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

export function warehouseContract({ open, events: length }: WarehouseContract): void {
  let side: WarehouseSide
  let definitions: Definitions
  const company = COMPANIES[0]

  const reopen = async (changed = definitions) => {
    definitions = changed
    side = await side.reopen(changed)
  }
  const rows = async (sql: string, of: string = company) => rowsOfFile(await side.fileOf(of), sql)
  beforeEach(async () => {
    definitions = sampleDefinitions
    side = await open(definitions)
  })
  afterEach(() => side.discard())

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
      await tell(side.store, story())
      const [row] = await rows('SELECT * FROM wh_Leasing_Contract')
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

    describe('in its history', () => {
      const ada = key('user', 1)
      const sync = key('integration', 1)
      const withActors = () =>
        new Map([...sampleDefinitions, ['user', user], ['integration', integrationDefinition]])
      const by = (actor: string, reason: string | undefined, event: RecordedEvent): RecordedEvent => ({
        ...event,
        ...(reason !== undefined && { reason }),
        metadata: { ...event.metadata, actor },
      })
      const acts = () => {
        const at = '2026-01-01T10:00:00.000Z'
        return [
          happened(ada, 1, 'user.created', { Name: 'Ada' }, at),
          by(ada, 'at the counter', happened(tenant, 1, 'tenant.created', { Name: 'Anna' }, at)),
          happened(sync, 1, 'integration.created', { Name: 'Stripe' }, at),
          by(ada, undefined, happened(tenant, 2, 'tenant.updated', { Name: 'Ann' }, at)),
          happened(ada, 2, 'user.updated', { Name: 'Ada Lovelace' }, at),
          by(sync, 'tab\tand "quote"', happened(tenant, 3, 'tenant.updated', { Name: 'Anne' }, at)),
          by('daybook', undefined, happened(tenant, 4, 'tenant.deleted', {}, at)),
        ]
      }
      const shown = () =>
        rows('SELECT ChangedBy_Name AS By, Reason FROM wh_Leasing_Tenant_history ORDER BY _Version')
      const EXPECTED = [
        { By: 'Ada Lovelace', Reason: 'at the counter' },
        { By: 'Ada Lovelace', Reason: null },
        { By: 'Stripe (integration)', Reason: 'tab\tand "quote"' },
        { By: 'daybook', Reason: null },
      ]
      beforeEach(() => reopen(withActors()))

      for (const size of [1, 2, 100])
        it(`shows why, and who by the name of now, however it comes (${size} at a time)`, async () => {
          const events = acts()
          for (let from = 0; from < events.length; from += size)
            await tell(side.store, events.slice(from, from + size), definitions)
          expect(await shown()).to.deep.equal(EXPECTED)
        })

      it('shows them also after it was built again, and those who came since', async () => {
        const events = acts()
        await tell(side.store, events, definitions)
        await side.rebuild(events)
        expect(await shown()).to.deep.equal(EXPECTED)
        const at = '2026-01-02T10:00:00.000Z'
        const later = [
          by(ada, 'again', happened(tenant, 5, 'tenant.restored', {}, at)),
          happened(ada, 3, 'user.updated', { Name: 'A. L.' }, at),
        ]
        await tell(side.store, later, definitions)
        expect((await shown()).map(({ By }) => By)).to.deep.equal([
          'A. L.',
          'A. L.',
          'Stripe (integration)',
          'daybook',
          'A. L.',
        ])
      })
    })

    it('is not changed by what comes after a gap', async () => {
      await tell(side.store, story().slice(0, 4))
      const gap = { projection: WAREHOUSE, after: 5, steps: [] }
      const outcome = await side.store.apply([gap], 6).catch((error: unknown) => error)
      expect(outcome).to.be.instanceOf(Unavailable)
      expect(await side.store.position(WAREHOUSE)).to.equal(4)
    })

    it('is a row for every version, each from when to when, with the names of then', async () => {
      await tell(side.store, story())
      expect(
        (
          await rows(
            'SELECT _Version, ValidFrom, ValidTo, Operation, ChangedBy, IsDeleted, Status, Tenant_Name, MonthlyRent_Amount FROM wh_Leasing_Contract_history ORDER BY _Version',
          )
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
      await tell(side.store, [created!, back])
      expect(
        await rows('SELECT ValidFrom, ValidTo FROM wh_Leasing_Tenant_history ORDER BY _Version'),
      ).to.deep.equal([
        { ValidFrom: '2026-01-01T10:00:00Z', ValidTo: '2026-01-01T10:00:00Z' },
        { ValidFrom: '2026-01-01T10:00:00Z', ValidTo: null },
      ])
    })

    it('that looks itself up shows the name that the same event gives it', async () => {
      const [created] = story()
      const at = '2026-01-02T10:00:00.000Z'
      await tell(side.store, [
        created!,
        happened(tenant, 2, 'tenant.updated', { Guarantor: tenant, Name: 'Bea' }, at),
        happened(tenant, 3, 'tenant.updated', { Name: 'Cleo' }, at),
      ])
      const names = 'SELECT Guarantor_Name AS name FROM wh_Leasing_Tenant'
      expect(await rows(names)).to.deep.equal([{ name: 'Cleo' }])
      expect(await rows(`${names}_history WHERE _Version = 2`)).to.deep.equal([{ name: 'Bea' }])
    })

    it('that is changed before it is there stops the projection and leaves no trace', async () => {
      const [created, , , renamed] = story()
      const failure = await tell(side.store, [renamed!]).catch((error: unknown) => error)
      expect(String(failure)).to.include('is not there')
      expect(await side.store.position(WAREHOUSE)).to.equal(0)
      await tell(side.store, [created!])
      expect(await rows('SELECT Name FROM wh_Leasing_Tenant')).to.deep.equal([{ Name: 'Anna' }])
    })
  })

  describe('a random history', function () {
    this.timeout(120_000)
    const events = randomHistory('warehouse', length)
    let root: string
    before(async () => {
      root = newFolder()
      const once = sqliteWarehouseStore({ folder: root, definitions: sampleDefinitions, now: () => NOW })
      await tell(once, events)
      await once.close()
    })
    after(() => rmSync(root, { recursive: true, force: true }))

    /** Against files that a single pass over the events has built. */
    const differences = async () => {
      const found: string[] = []
      for (const of of COMPANIES)
        for (const { table, rows, differences } of compareFiles(
          await side.fileOf(of),
          join(root, `${of}.db`),
        ))
          if (table !== 'wh__state' && table !== 'wh__actors') {
            if (table === 'wh_Leasing_Contract_history') expect(rows).to.be.above(length / 15)
            found.push(...differences.map((line) => `${of} ${table} ${line}`))
          }
      return found
    }

    for (const batch of [1, 7, 1_000])
      it(`comes out byte for byte as rebuilt, in batches of ${batch}, every tenth event twice`, async () => {
        for (const delivered of deliveries(events, batch)) await tell(side.store, delivered)
        expect(await differences()).to.deep.equal([])
      })

    it('comes out the same when someone looks at it all the while', async () => {
      for (const delivered of deliveries(events, 97)) {
        await tell(side.store, delivered)
        for (const of of COMPANIES) await side.fileOf(of)
      }
      expect(await differences()).to.deep.equal([])
    })

    it('is the same after a crash that forgot how far it had come, in batches of other sizes', async () => {
      const half = Math.floor(length / 2)
      for (const delivered of deliveries(events.slice(0, half), 60)) await tell(side.store, delivered)
      const from = events[Math.floor(length / 8)]!.position
      await side.forget(from)
      await reopen()
      expect(await side.store.position(WAREHOUSE)).to.equal(from)
      for (const delivered of deliveries(events, 37)) await tell(side.store, delivered)
      expect(await differences()).to.deep.equal([])
    })

    it('is right again when it is rebuilt beside what was spoilt', async () => {
      await tell(side.store, events)
      await side.spoil(company)
      expect(await differences()).not.to.deep.equal([])
      await side.rebuild(events)
      expect(await differences()).to.deep.equal([])
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
      await tell(side.store, [first])
      await reopen(withText())
      await tell(side.store, [event(2, 2, { Score: 'high', Nickname: 'An' })], definitions)
      expect(await rows('SELECT Score, Score_Text, Phone, Nickname FROM wh_Leasing_Tenant')).to.deep.equal([
        { Score: null, Score_Text: 'high', Phone: '12', Nickname: 'An' },
      ])
      expect(
        await rows('SELECT _Version, Score, Score_Text FROM wh_Leasing_Tenant_history ORDER BY _Version'),
      ).to.deep.equal([
        { _Version: 1, Score: 1.5, Score_Text: null },
        { _Version: 2, Score: null, Score_Text: 'high' },
      ])
      expect(
        await rows(
          'SELECT ColumnName, Change FROM wh__schema_log WHERE ColumnName IS NOT NULL ORDER BY Entry',
        ),
      ).to.have.deep.members([
        { ColumnName: 'Score', Change: 'column retired' },
        { ColumnName: 'Phone', Change: 'column retired' },
        { ColumnName: 'Score_Text', Change: 'column added' },
        { ColumnName: 'Nickname', Change: 'column added' },
      ])
    })

    it('name columns apart that differ in upper and lower case only', async () => {
      await tell(side.store, [first])
      const renamed = (name: string) =>
        tenantWith((fields) => [
          ...fields.filter((field) => field.name !== 'Score'),
          { name, type: 'decimal' as const },
        ])
      await reopen(renamed('SCORE'))
      await tell(side.store, [event(2, 2, { SCORE: 2 })], definitions)
      await reopen(renamed('ScorE'))
      await tell(side.store, [event(3, 3, { ScorE: 3 })], definitions)
      expect(await rows('SELECT Score, SCORE_Decimal, ScorE_Decimal_2 FROM wh_Leasing_Tenant')).to.deep.equal(
        [{ Score: 1.5, SCORE_Decimal: 2, ScorE_Decimal_2: 3 }],
      )
    })

    it('leave values that fit the new type, too, where they were written', async () => {
      const whole = tenantWith((fields) =>
        fields.map((field) => (field.name === 'Score' ? { name: 'Score', type: 'integer' as const } : field)),
      )
      const all = [event(1, 1, { Score: 1 }), event(2, 2, { Score: 2 }), event(3, 3, { Score: 3 })]
      await tell(side.store, [all[0]!])
      await reopen(whole)
      await tell(side.store, [all[1]!], definitions)
      await reopen(sampleDefinitions)
      await tell(side.store, [all[2]!])
      const history = () =>
        rows('SELECT Score, Score_Integer FROM wh_Leasing_Tenant_history ORDER BY _Version')
      const where = [
        { Score: 1, Score_Integer: null },
        { Score: null, Score_Integer: 2 },
        { Score: 3, Score_Integer: null },
      ]
      expect(await history()).to.deep.equal(where)
      await side.rebuild(all)
      expect(await history()).to.deep.equal(where)
    })

    it('keep a table whose application is written in another case now', async () => {
      await tell(side.store, [first])
      const tenant = { ...sampleDefinition('tenant'), application: 'LEASING' }
      await reopen(new Map([...sampleDefinitions, ['tenant', tenant]]))
      await tell(side.store, [event(2, 2, { Score: 2 })], definitions)
      expect(await rows('SELECT Score FROM wh_Leasing_Tenant')).to.deep.equal([{ Score: 2 }])
      expect(
        await rows(
          "SELECT DISTINCT TableName FROM wh__columns WHERE TableName LIKE 'wh\\_leasing\\_tenant' ESCAPE '\\'",
        ),
      ).to.deep.equal([{ TableName: 'wh_Leasing_Tenant' }])
    })

    it('give a type that comes back its column back, and a rebuild puts all values where they were', async () => {
      await tell(side.store, [first])
      await reopen(withText())
      await tell(side.store, [event(2, 2, { Score: 'high' })], definitions)
      await reopen(sampleDefinitions)
      await tell(side.store, [event(3, 3, { Score: 2 })])
      const history = () => rows('SELECT * FROM wh_Leasing_Tenant_history ORDER BY _Version')
      const live = await history()
      expect(live.map((row) => [row['Score'], row['Score_Text']])).to.deep.equal([
        [1.5, null],
        [null, 'high'],
        [2, null],
      ])
      await side.rebuild([first, event(2, 2, { Score: 'high' }), event(3, 3, { Score: 2 })])
      expect(await history()).to.deep.equal(live)
    })
  })
}
