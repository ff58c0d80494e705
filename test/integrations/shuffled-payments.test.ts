/** `scripts/integrations/notifications.ts` sends 10,000; here are a few. */
import { expect } from 'chai'
import { testService, type TestService } from '../support/service.ts'
import { sendShuffled } from './shuffled-payments.ts'

describe('notifications that come shuffled, three times each, some of them forged', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => (service = await testService()))
  after(() => service.discard())

  it('come to one payment each, in the right state, and to none that was forged', async () => {
    let seed = 42
    const random = () => (seed = (seed * 16_807) % 2_147_483_647) / 2_147_483_647
    const { forged, sent } = await sendShuffled(service, { payments: 50, times: 3, now: Date.now, random })
    expect(forged).to.be.greaterThan(0)
    expect(sent).to.be.greaterThan(250)
    const [integration] = (await service.get('integrations')).list
    const path = `integrations/${integration!.Id}/inbox?state=rejected`
    expect((await service.get(path)).pagination.TotalRecords).to.equal(0)
  })
})
