/** What is asked for again and again: every change is seen, and applied once, whatever happens in between. */
import { expect } from 'chai'
import type { Fields } from '../../src/domain/json.ts'
import { eventually } from './support/eventually.ts'
import type { Data, TestService } from '../support/service.ts'
import { manualClock } from '../support/write-side.ts'
import { serviceWith } from '../integrations/support/own-file.ts'
import { untilPassing } from '../integrations/support/passing.ts'
import { partner, type Asked, type Partner, type Reply } from '../integrations/support/partner.ts'

const ledger = {
  integration: 'ledger',
  scenario: 'other',
  title: 'Ledger',
  description: 'Payments of a ledger.',
  receive: [
    {
      name: 'payments',
      verify: [{ polled: true }],
      at: { iso: 'changed' },
      map: [
        {
          object: 'payment',
          by: { GatewayReference: 'id' },
          set: { Amount: { money: 'amount', currency: 'currency' }, Status: 'status' },
        },
      ],
    },
  ],
  credentials: [{ name: 'apiKey', required: false }],
  poll: [
    {
      name: 'changes',
      every: 3_600,
      request: { method: 'GET', path: '/payments' },
      items: 'data',
      page: { offset: 'from' },
      since: { from: { iso: 'changed' }, send: { parameter: 'since' }, as: 'iso', overlap: 60 },
      as: 'payments',
    },
  ],
}

describe('an integration that polls', () => {
  const clock = manualClock('2030-01-01T12:00:00.000Z')
  const payments = new Map<string, Fields>()
  let trouble: (asked: Asked) => Reply | undefined = () => undefined
  let service: TestService
  let other: Partner
  let integration: Data
  before(async () => {
    other = await partner((asked) => {
      const since = asked.query.get('since') ?? ''
      const found = [...payments.values()].filter(({ changed }) => (changed as string) >= since)
      const from = Number(asked.query.get('from') ?? 0)
      return trouble(asked) ?? { json: { data: found.slice(from, from + 10) } }
    })
    service = await serviceWith(ledger, { clock })
    const made = await service.post('integrations', { Definition: 'ledger', BaseUrl: other.url })
    integration = made.data
  })
  after(async () => {
    await service.discard()
    await other.stop()
  })

  const keep = (number: number, status: string) => {
    const id = `p${number}`
    const changed = new Date(clock.now()).toISOString()
    payments.set(id, { id, status, amount: '10.00', currency: 'EUR', changed })
  }
  const settled = (count: number, status: string) =>
    // A poll that is just ending counts its hour from then.
    untilPassing(clock, 600_000)(`${count} payments are ${status}`, async () => {
      const filter = `Status eq '${status}'`
      const { pagination } = await service.list('payment', { filter, pageSize: '1' })
      expect(pagination.TotalRecords).to.equal(count)
    })

  it('takes what there is when it is started, page by page', async () => {
    for (let number = 1; number <= 25; number++) keep(number, 'Pending')
    clock.pass(1_000)
    expect((await service.post(`integrations/${integration.Id}/start`)).status).to.equal(200)
    await settled(25, 'Pending')
    await eventually('the last page is empty', async () =>
      expect(other.asked.at(-1)!.query.get('from')).to.equal('25'),
    )
  })

  it('asks for what was changed since, with an overlap, and applies none twice', async () => {
    clock.pass(3_600_000)
    for (const number of [3, 7]) keep(number, 'Received')
    const before = other.asked.length
    await settled(2, 'Received')
    expect(other.asked[before]!.query.get('since')).to.equal('2030-01-01T11:59:00Z')
    const { list, pagination } = await service.get(`integrations/${integration.Id}/inbox?pageSize=100`)
    expect(pagination.TotalRecords).to.equal(27)
    expect(list.every(({ State }) => State === 'applied')).to.equal(true)
  })

  it('does not move on where a page is lost, and begins again after its own end', async () => {
    clock.pass(3_600_000)
    for (let number = 30; number < 50; number++) keep(number, 'Failed')
    let lost = 0
    trouble = ({ query }) => (query.get('from') === '10' ? { isDropped: ++lost > 0 } : undefined)
    await eventually('a page is lost', async () => {
      clock.pass(600_000)
      expect(lost).to.be.at.least(1)
    })
    // Two of the ten are in the overlap.
    await settled(8, 'Failed')
    trouble = () => undefined
    await service.restart()
    clock.pass(60_000)
    await settled(20, 'Failed')
    const list = await service.list('payment', { pageSize: '200' })
    expect(list.pagination.TotalRecords).to.equal(45)
  })

  it('asks for nothing while it is paused or off', async () => {
    await service.post(`integrations/${integration.Id}/pause`)
    const before = other.asked.length
    clock.pass(7_200_000)
    keep(1, 'Cancelled')
    await service.post(`integrations/${integration.Id}/start`)
    clock.pass(60_000)
    await settled(1, 'Cancelled')
    expect(other.asked.length).to.be.above(before)
    await service.post(`integrations/${integration.Id}/stop`)
  })
})

describe('an integration that polls with a credential that it may be without', () => {
  it('asks for nothing before it has it', async () => {
    const clock = manualClock('2030-01-01T12:00:00.000Z')
    const other = await partner(() => ({ json: { data: [] } }))
    const file = { ...ledger, authentication: { bearer: 'apiKey' } }
    const service = await serviceWith(file, { clock })
    const started = async () => {
      const { data } = await service.post('integrations', { Definition: 'ledger', BaseUrl: other.url })
      await service.post(`integrations/${data.Id}/start`)
      return data.Id
    }
    const sets = async (id: string, Value: string) => {
      const answer = await service.post(`integrations/${id}/rotate-secret`, { Credential: 'apiKey', Value })
      expect(answer.status, answer.text).to.equal(200)
    }
    const seen = () => new Set(other.asked.map(({ headers }) => headers.authorization))
    const [without, having] = [await started(), await started()]
    await sets(having, 'a-key-of-its-own')
    // By the second time the other was looked at as well, which is due earlier.
    await eventually('it has asked twice', async () => {
      clock.pass(1_200_000)
      expect(other.asked.length).to.be.above(1)
    })
    expect(seen()).to.deep.equal(new Set(['Bearer a-key-of-its-own']))
    await sets(without, 'a-key-at-last')
    await eventually('the other asks, too', async () => {
      clock.pass(1_200_000)
      expect(seen()).to.include('Bearer a-key-at-last')
    })
    expect(seen().size).to.equal(2)
    await service.discard()
    await other.stop()
  })
})
