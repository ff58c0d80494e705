/**
 * What leaves the service, told on whatever engines: an event that was subscribed to arrives, signed, and can be shown to
 * have arrived. It knows no engine.
 */
import { verify } from '@octokit/webhooks-methods'
import { expect } from 'chai'
import type { TestService } from '../../support/service.ts'
import { ok, startReceiver, type Receiver } from '../../webhooks/receiver.ts'
import { eventually } from '../support/eventually.ts'
import { contractBody } from '../support/leasing.ts'

const SECRET = 'a-secret-of-some-length-0123456789'

/** What a service needs to reach the receiver of a test, and not to let the test wait. */
export const OUTWARD = { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8', WEBHOOK_SCHEDULE: '0s,1s,1s,1s,1s' }

export function outwardStory(open: () => Promise<TestService>): void {
  describe('and telling others', () => {
    let service: TestService
    let receiver: Receiver

    before(async () => {
      receiver = await startReceiver()
      service = await open()
    })
    after(async () => {
      await service?.discard()
      await receiver.stop()
    })

    /** At least once: what came again has the same id. */
    const arrived = () => [
      ...new Map(receiver.received.map((one) => [one.headers['webhook-id'], one.json] as const)).values(),
    ]
    const states = async (webhook: string) =>
      (await service.list(`webhooks/${webhook}/deliveries`)).list.map(({ State }) => State)

    it('sends what was subscribed to, signed, as it was, and logs that it arrived', async () => {
      const body = { Url: `${receiver.url}/hook`, Events: ['contract.*'], Secret: SECRET }
      const webhook = await service.post('webhooks', body)
      expect(webhook.status, webhook.text).to.equal(201)
      const { Id } = await service.create('contract', contractBody())
      await service.post(`contract/${Id}/workflow/submit`)
      await eventually('both have arrived', async () =>
        expect(arrived().map(({ Event, Data }) => [Event, Data['Id'], Data['Status']])).to.deep.equal([
          ['contract.created', Id, 'Draft'],
          ['contract.workflow.submitted', Id, 'PendingApproval'],
        ]),
      )
      for (const { text, headers } of receiver.received)
        expect(await verify(SECRET, text, String(headers['x-hub-signature-256']))).to.equal(true)
      await eventually('the log shows it', async () =>
        expect(await states(webhook.data.Id)).to.deep.equal(['Delivered', 'Delivered']),
      )
    })

    it('sends again what was refused, also over a restart', async () => {
      const [webhook] = (await service.list('webhooks')).list
      receiver.answer((_request, response) => void response.writeHead(503).end())
      const { Id } = await service.create('contract', contractBody())
      const attempts = () => receiver.received.filter(({ json }) => json.Data['Id'] === Id)
      await eventually('it was refused', async () => expect(attempts()).to.not.deep.equal([]))
      await service.restart()
      receiver.answer(ok)
      await eventually('it has arrived', async () =>
        expect(await states(webhook!.Id)).to.deep.equal(['Delivered', 'Delivered', 'Delivered']),
      )
      expect(arrived().filter(({ Data }) => Data['Id'] === Id)).to.have.length(1)
      expect(attempts().length).to.be.greaterThan(1)
    })
  })
}
