/** The warehouse on PostgreSQL: its contract, asked through the snapshots that companies take home. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import pg from 'pg'
import { postgresWarehouseStore } from '../../../src/adapters/postgres/warehouse/projection-store.ts'
import { snapshotToFile } from '../../../src/compose/warehouse/snapshot.ts'
import type { Definitions } from '../../../src/domain/definition.ts'
import { tell, warehouseContract, type WarehouseSide } from '../../contracts/warehouse.ts'
import { NO_POSTGRES, postgresUnderTest } from '../../engines/postgres-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { newFolder } from '../../support/service.ts'

const postgres = postgresUnderTest()
const suite = suiteOf('the warehouse on PostgreSQL', postgres ? undefined : NO_POSTGRES)

const NOW = Date.parse('2026-03-01T00:00:00Z')

async function openSide(definitions: Definitions, url: string, root = newFolder()): Promise<WarehouseSide> {
  const store = postgresWarehouseStore({ url, definitions, now: () => NOW })
  await store.isOutdated()
  let files = 0
  const change = async (sql: string, ...values: unknown[]) => {
    const client = new pg.Client(url)
    await client.connect()
    await client.query(sql, values)
    await client.end()
  }
  return {
    store,
    async fileOf(company) {
      const path = join(root, `${company}-${++files}.db`)
      await snapshotToFile({ url, company, path })
      return path
    },
    async reopen(changed = definitions) {
      await store.close()
      return openSide(changed, url, root)
    },
    async rebuild(events) {
      const beside = store.beside()
      await tell(beside.store, events, definitions)
      expect(await beside.swap()).to.equal(true)
      await beside.discard()
    },
    forget: (position) => change("UPDATE wh_state.state SET position = $1 WHERE place = 'public'", position),
    async spoil(company) {
      await change(`UPDATE "wh_Leasing_Contract" SET "Status" = 'Wrong' WHERE "_Company" = $1`, company)
      await change(`DELETE FROM "wh_Leasing_Tenant_history" WHERE "_Company" = $1`, company)
    },
    async discard() {
      await store.close()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

suite(`the warehouse on ${postgres?.name ?? 'PostgreSQL'}`, function () {
  this.timeout(60_000)
  whileRunning(postgres!)
  warehouseContract({
    open: async (definitions) => openSide(definitions, await postgres!.server().newDatabase()),
    events: 1_200,
  })
})
