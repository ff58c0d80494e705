/** Append-only objects, with the warehouse on PostgreSQL: each row of a pack is a row there. */
import { expect } from 'chai'
import { NO_POSTGRES, postgresUnderTest } from '../../engines/postgres-under-test.ts'
import { suiteOf } from '../../engines/suite-of.ts'
import { whileRunning } from '../../engines/while-running.ts'
import { testService, type TestService } from '../../support/service.ts'
import { packsStory } from '../../system/stories/packs-story.ts'
import { rebuildHasEnded } from '../../system/stories/rebuild-story.ts'

const postgres = postgresUnderTest()

suiteOf('packs in the warehouse on PostgreSQL', postgres ? undefined : NO_POSTGRES)(
  `append-only objects, with the warehouse on ${postgres?.name ?? 'PostgreSQL'}`,
  function () {
    this.timeout(120_000)
    whileRunning(postgres!)
    let service: TestService
    before(async () => {
      const WAREHOUSE_URL = await postgres!.server().newDatabase()
      service = await testService({ settings: { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8', WAREHOUSE_URL } })
    })
    after(() => service.discard())

    packsStory(() => service)

    it('have the same rows there after a rebuild', async () => {
      const Sql = 'SELECT count(*) AS n, sum("Value") AS s FROM "wh_FacilityManagement_SensorReading"'
      const asked = async () =>
        (await service.post('warehouse/query', { Sql })).json['Data'] as { Rows: unknown }
      const { Rows } = await asked()
      expect(JSON.stringify(Rows)).to.match(/^\[\[[1-9]\d*,/)
      expect((await service.post('projections/warehouse/rebuild')).status).to.equal(202)
      await rebuildHasEnded(service)
      expect((await asked()).Rows).to.deep.equal(Rows)
    })
  },
)
