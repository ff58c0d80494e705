/** Forms of websites when one address sends many: it is limited, what was taken is kept, and no lead comes of it. */
import { expect } from 'chai'
import { client, testService, type TestService } from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'

const FORMS = 1_000
/** By default, in a minute: a form counts as 20 requests. */
const TAKEN = 60

describe('a thousand forms of one address', () => {
  let service: TestService
  before(async () => {
    service = await testService({
      clock: manualClock('2030-01-01T12:00:00.000Z'),
      settings: { RATE_LIMIT_PER_MINUTE: '1200', RATE_LIMIT_BURST: '1200' },
    })
  })
  after(() => service.discard())

  it('are limited; those that were taken are set aside, as they have no proof of work', async () => {
    const { Id } = (await service.post('integrations', { Definition: 'website-form' })).data
    await service.post(`integrations/${Id}/start`)
    const unknown = client(() => service.url, 'none')
    const statuses = new Map<number, number>()
    for (let sent = 0; sent < FORMS; sent++) {
      const { status, headers } = await unknown.send('POST', `forms/${Id}`, {
        body: `name=Bot ${sent}&email=bot${sent}@example.com`,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: '' },
      })
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status === 429) expect(Number(headers.get('retry-after'))).to.be.greaterThan(0)
    }
    const taken = statuses.get(200) ?? 0
    expect([...statuses.keys()].sort()).to.deep.equal([200, 429])
    expect(taken).to.be.within(1, TAKEN)
    const aside = await service.list(`integrations/${Id}/inbox`, { state: 'quarantined', pageSize: '100' })
    expect(aside.list).to.have.length(taken)
    expect((await service.get('lead')).list).to.deep.equal([])
  })
})
