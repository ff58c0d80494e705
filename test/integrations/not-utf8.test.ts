/** A message whose bytes are no UTF-8: read all the same, its text would be another. */
import { expect } from 'chai'
import type { TestService } from '../support/service.ts'
import { eventually } from '../system/support/eventually.ts'
import { startedIntegration } from './support/accounting.ts'
import { DIRECTORY } from './support/both-ways.ts'
import { serviceWith } from './support/own-file.ts'

describe('a message that is not UTF-8', () => {
  let service: TestService
  before(async () => (service = await serviceWith(DIRECTORY)))
  after(() => service.discard())

  it('is set aside for a person, and makes no record of damaged text', async () => {
    const key = await startedIntegration(service, {
      Definition: 'directory',
      Credentials: { token: 'a-long-token' },
    })
    const inbox = async () => (await service.get(`integrations/${key}/inbox`)).list
    const headers = { Authorization: 'Bearer a-long-token', 'Content-Type': 'application/json' }
    const body = new Uint8Array(Buffer.from('{"id":"p1","name":"José"}', 'latin1'))
    expect((await service.send('POST', `in/${key}/people`, { body, headers })).status).to.equal(200)
    // A message after it: once that is applied, the one before would be.
    await service.send('POST', `in/${key}/people`, { body: { id: 'p2', name: 'Ann' }, headers })
    await eventually('the other is applied', async () =>
      expect((await inbox()).map(({ State }) => State)).to.include('applied'),
    )
    const [set] = (await inbox()).filter(({ State }) => State !== 'applied')
    expect(set).to.include({ State: 'quarantined', Reason: 'the body is not UTF-8' })
    const { list } = await service.list('tenant')
    expect(list.map(({ Name }) => Name)).to.deep.equal(['Ann'])
  })
})
