/** What is sent to endpoints that are no webhooks: mails of a company, requests of an integration. In virtual time. */
import { expect } from 'chai'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import type { Fields } from '../../src/domain/json.ts'
import type { SendAttempt } from '../../src/ports/sending/send-attempt.ts'
import { DEFAULT_SCHEDULE } from '../../src/webhooks/schedule.ts'
import { dueBy, restEndpointOf } from '../../src/webhooks/targets.ts'
import { COMPANY } from '../support/endpoints.ts'
import { newEvent } from '../support/events.ts'
import { startSending, status, type Sending } from './sending.ts'

const INTEGRATION = 'integration-00000000000000000000000001'
const REST = restEndpointOf(INTEGRATION)
const HOUR = 3_600_000
const sent: SendAttempt = {
  isOver: true,
  isSent: true,
  detail: '200',
  status: 200,
  url: 'https://api.example/x',
}
const failed: SendAttempt = { isOver: false, isSent: false, detail: '503', status: 503 }

interface Tried {
  readonly stream: string
  readonly isLast: boolean
  readonly at: number
}

describe('what is due for a target', () => {
  const event = (stream: string, type: string, data: Fields): RecordedEvent => ({
    ...newEvent({ company: COMPANY, type, data }),
    stream,
    version: 1,
    position: 1,
  })

  it('is what says so, under the Key of who takes it', () => {
    const due = { State: 'due', Integration: INTEGRATION, Record: 'contract-1' }
    const rest = dueBy(event('sending-1', 'sending.created', due))!
    expect(rest.endpoint).to.include({ key: 'rest-00000000000000000000000001', ordered: true, active: true })
    expect(rest.send).to.have.nested.property('message.record', 'contract-1')
    expect(rest.send).to.have.nested.property('message.body', 'sending-1')
    const mail = dueBy(event('notification-1', 'notification.due', { State: 'due' }))!
    expect(mail.endpoint).to.include({ key: COMPANY.replace('company', 'mail'), ordered: false })
    for (const other of [
      event('sending-1', 'sending.created', { ...due, State: 'sent' }),
      event('sending-1', 'sending.attempting', due),
      event('contract-1', 'contract.created', due),
    ])
      expect(dueBy(other)).to.equal(undefined)
  })
})

describe('requests of an integration', () => {
  let sending: Sending
  let tried: Tried[]
  afterEach(() => sending.close())

  const start = async (answer: (one: Tried, tried: readonly Tried[]) => SendAttempt) => {
    tried = []
    sending = await startSending(() => status(500), {
      sendTo: async (target, company, thing) => {
        expect([target, company]).to.deep.equal(['rest', COMPANY])
        const one = { ...thing, at: sending.now() }
        tried.push(one)
        return answer(one, tried)
      },
    })
  }
  let position = 0
  const due = async (stream: string, Record: string, type = 'sending.created') => {
    const data = { State: 'due', Integration: INTEGRATION, Record }
    const event = { ...newEvent({ company: COMPANY, type, data }), stream, version: 1, position: ++position }
    const { endpoint, send } = dueBy(event)!
    await sending.outbox.store([{ op: 'endpoint', endpoint }, send], position)
  }
  const states = async () =>
    (await sending.outbox.list(COMPANY, REST, { offset: 0, limit: 100 })).deliveries.map(({ state }) => state)

  it('are sent by the process, logged with what came of them, and once more when they are due once more', async () => {
    await start(() => sent)
    await due('sending-1', 'contract-1')
    await sending.work(REST)
    await due('sending-1', 'contract-1', 'sending.due')
    await sending.work(REST)
    expect(tried.map(({ stream }) => stream)).to.deep.equal(['sending-1', 'sending-1'])
    expect(await states()).to.deep.equal(['delivered', 'delivered'])
    const [first] = (await sending.outbox.list(COMPANY, REST, { offset: 0, limit: 1 })).deliveries
    const { log } = (await sending.outbox.get(COMPANY, REST, first!.id))!
    expect(log[0]).to.include({ url: 'https://api.example/x', status: 200, reply: '200' })
    expect(sending.seen).to.deep.equal([])
  })

  it('are tried by the schedule of webhooks; the last attempt is said to be the last', async () => {
    await start(() => failed)
    await due('sending-1', 'contract-1')
    await sending.work(REST)
    expect(tried.map(({ isLast }) => isLast)).to.deep.equal(DEFAULT_SCHEDULE.map((_, at) => at === 9))
    expect(await states()).to.deep.equal(['failed'])
  })

  it('wait for those of the same record that were due before, and not for those of others', async () => {
    await start(({ stream }, all) => (stream === 'sending-1' && all.length < 4 ? failed : sent))
    await due('sending-1', 'contract-1')
    await due('sending-2', 'contract-1')
    await due('sending-3', 'contract-2')
    await sending.work(REST)
    const order = tried.map(({ stream }) => stream)
    expect(order.indexOf('sending-3')).to.be.lessThan(order.lastIndexOf('sending-1'))
    expect(order.at(-1)).to.equal('sending-2')
  })

  it('that are held wait without being tried, however often', async () => {
    const held = { ...failed, isHeld: true, againInMs: HOUR - 0.5 }
    await start((_one, all) => (all.length <= 30 ? held : sent))
    await due('sending-1', 'contract-1')
    await sending.work(REST)
    expect(tried.map(({ at }) => at)).to.deep.equal(Array.from({ length: 31 }, (_, n) => n * HOUR))
    const [delivery] = (await sending.outbox.list(COMPANY, REST, { offset: 0, limit: 1 })).deliveries
    expect(delivery).to.include({ state: 'delivered', attempts: 1 })
  })
})
