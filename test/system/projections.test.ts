/** What operators see of projections, and a rebuild of what is served meanwhile. */
import { readdirSync, writeFileSync } from 'node:fs'
import { expect } from 'chai'
import { testService, type TestService } from '../support/service.ts'
import { eventually } from './support/eventually.ts'
import { rebuildHasEnded, rebuildStory } from './stories/rebuild-story.ts'

interface Item {
  readonly Name: string
  readonly Position: number
  readonly Lag: number
  readonly State: string
}

describe('the projections of a service', () => {
  let service: TestService
  const projections = async () => (await service.get('projections')).list as unknown as Item[]
  const named = async (name: string) => (await projections()).find(({ Name }) => Name === name)!
  const files = () => readdirSync(service.dataDir).filter((file) => /^read-models-.*\.db$/.test(file))
  const rebuilt = () => rebuildHasEnded(service)

  beforeEach(async () => {
    service = await testService()
  })
  afterEach(() => service.discard())

  it('are listed with position, lag and state', async () => {
    await service.create('tenant', { Name: 'Anna' })
    const list = await projections()
    expect(list.map(({ Name }) => Name)).to.include.members(['records', 'search', 'webhooks'])
    // A write waits for the read models; the others follow by themselves.
    for (const { Name, Lag } of list) if (['records', 'search'].includes(Name)) expect(Lag).to.equal(0)
    await eventually('all have caught up', async () => {
      for (const { State, Lag, Position } of await projections()) {
        expect(State).to.equal('live')
        expect(Lag).to.equal(0)
        expect(Position).to.be.greaterThan(0)
      }
    })
  })

  it('are rebuilt while they are served and written, and nothing is missing after', async () => {
    const [before] = files()
    await rebuildStory(service, service)
    await eventually('the old file is gone', async () => expect(files()).to.have.length(1))
    expect(files()).to.not.deep.equal([before])

    // What was rebuilt is what the next start finds, and what is written after.
    const after = await service.create('tenant', { Name: 'After' })
    await service.restart()
    expect((await service.get(`tenant/${after.Id}`)).status).to.equal(200)
    expect(files()).to.have.length(1)
  })

  it('are rebuilt time and again', async () => {
    await service.create('tenant', { Name: 'Anna' })
    for (let i = 0; i < 3; i++) {
      expect((await service.post('projections/search/rebuild')).status).to.equal(202)
      await rebuilt()
    }
    expect((await service.list('tenant', { search: 'anna' })).list).to.have.length(1)
  })

  it('refuse a second rebuild while one is under way', async () => {
    await service.create('tenant', { Name: 'Anna' })
    const [one, other] = await Promise.all([
      service.post('projections/records/rebuild'),
      service.post('projections/search/rebuild'),
    ])
    expect([one.status, other.status].sort()).to.deep.equal([202, 409])
    await rebuilt()
    expect((await named('records')).State).to.equal('live')
  })

  it('are not there by any other name', async () => {
    expect((await service.post('projections/nope/rebuild')).status).to.equal(404)
    expect((await service.post('projections/nope/resume')).status).to.equal(404)
    expect((await service.get('projections?x=1')).status).to.equal(400)
  })

  it('go on from a file that was left half built', async () => {
    await service.create('tenant', { Name: 'Anna' })
    const [current] = files()
    await service.stop()
    writeFileSync(`${service.dataDir}/${current!.replace('.db', '-7.db')}`, 'not whole')
    await service.restart()
    expect((await service.list('tenant')).pagination.TotalRecords).to.equal(1)
    await eventually('the half-built file is gone', async () => expect(files()).to.deep.equal([current]))
  })
})
