/** Append-only objects on embedded engines. */
import { expect } from 'chai'
import { testService, type TestService } from '../../support/service.ts'
import { rebuildHasEnded } from './rebuild-story.ts'
import { packsStory } from './packs-story.ts'

describe('append-only objects, embedded', () => {
  let service: TestService

  before(async () => {
    service = await testService({ settings: { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' } })
  })
  after(() => service.discard())

  packsStory(() => service)

  it('are one event a request, and read the same after a rebuild', async () => {
    const sensor = await service.create('sensor', { Name: 'Roof' })
    const Records = Array.from({ length: 500 }, (_, n) => ({
      ...{ Sensor: sensor.Id, Value: n },
      MeasuredAt: '2026-01-31T10:00:00Z',
    }))
    const before = service.streams().length
    await service.post('sensorreading/batch', { Records })
    expect(service.streams().length - before).to.equal(1)
    const last = () => service.list('sensorreading', { sort: '-Value', pageSize: '3' })
    const { list, pagination } = await last()
    await service.patch(`sensorreading/${list[0]!.Id}`, { Quality: 'Bad' })
    const after = (await last()).text
    expect(pagination.TotalRecords).to.be.at.least(500)
    expect((await service.post('projections/records/rebuild')).status).to.equal(202)
    await rebuildHasEnded(service)
    expect((await last()).text).to.equal(after)
  })
})
