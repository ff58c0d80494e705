/** The loss of the outbox costs repeats, and no delivery: what was to be sent is in the events, and up to where it was sent. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { testService, type TestService } from '../support/service.ts'
import { startReceiver, type Receiver } from '../webhooks/receiver.ts'
import { OUTWARD } from './stories/outward-story.ts'

describe('an outbox that is lost', () => {
  let service: TestService
  let receiver: Receiver
  beforeEach(async () => {
    service = await testService({ settings: { ...OUTWARD } })
    receiver = await startReceiver()
  })
  afterEach(async () => {
    await receiver.stop()
    await service.discard()
  })

  const loseOutbox = async () => {
    await service.stop()
    for (const end of ['', '-wal', '-shm'])
      rmSync(join(service.dataDir, `webhooks.db${end}`), { force: true })
    await service.restart()
  }
  const namesOf = ({ received }: Receiver) => received.map(({ json }) => json.Data['Name'])

  it('is filled again from the creation of each webhook: nothing is missing', async () => {
    const { status } = await service.post('webhooks', {
      Url: `${receiver.url}/hook`,
      Events: ['tenant.created'],
    })
    expect(status).to.equal(201)
    const names = ['Ada', 'Bea', 'Cid', 'Dee', 'Eve']
    for (const Name of names) await service.create('tenant', { Name })
    await receiver.got(5)
    await loseOutbox()
    await service.create('tenant', { Name: 'Flo' })
    await receiver.got(11)
    expect([...new Set(namesOf(receiver))].sort()).to.deep.equal([...names, 'Flo'])
  })
})
