/** What becomes of events on their way into the outbox: who gets which, and from when on (W8). */
import { expect } from 'chai'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import type { Fields } from '../../src/domain/json.ts'
import type { Endpoint, OutboxChange } from '../../src/ports/outbox.ts'
import { fillOutbox } from '../../src/webhooks/fill-outbox.ts'
import { sampleDefinitions } from '../support/sample-definitions.ts'
import { newEvent } from '../support/events.ts'

/** Keys of two webhooks, and of tenants. */
const keyed = (object: string, suffix: string | number) => `${object}-${String(suffix).padStart(26, '0')}`
const [A, B] = [keyed('webhook', 'a'), keyed('webhook', 'b')] as const
const HOOK: Fields = { Url: 'https://a.example/', Events: ['tenant.*'], IsActive: true, Secret: 'sealed' }

interface Told {
  readonly company?: string
  readonly version?: number
}

const event = (
  position: number,
  stream: string,
  type: string,
  data: Fields,
  { company = 'company-a', version = 1 }: Told = {},
): RecordedEvent => ({ ...newEvent({ company, type, data }), stream, version, position })
const tenant = (position: number, told?: Told) =>
  event(position, keyed('tenant', position), 'tenant.created', { Name: 'Ada' }, told)
const hook = (position: number, key: string = A, more: Fields = {}, told?: Told) =>
  event(position, key, 'webhook.created', { ...HOOK, ...more }, told)

/** Fills an outbox that knows these endpoints, and answers what is stored. */
async function filled(
  events: readonly RecordedEvent[],
  { endpoints = [], begin = 0 }: { endpoints?: readonly Endpoint[]; begin?: number } = {},
): Promise<readonly OutboxChange[]> {
  const stored: OutboxChange[] = []
  const filling = fillOutbox({
    definitions: sampleDefinitions,
    events: {
      read: async (company, stream, after = 0) =>
        events.filter(
          (one) => one.metadata.company === company && one.stream === stream && one.version > after,
        ),
    },
    outbox: {
      endpoints: async () => endpoints,
      position: async () => 0,
      store: async (changes) => void stored.push(...changes),
    },
    begin,
    onFilled: () => {},
    onTrouble: (message, error) => expect.fail(`${message}: ${String(error)}`),
  })
  const steps = events.map((one) => ({ position: one.position, operations: [one] }))
  await filling.apply([{ projection: 'webhooks', steps }], events.at(-1)!.position)
  return stored
}

/** `endpoint < position` of each delivery. */
const sent = (changes: readonly OutboxChange[]) =>
  changes.flatMap((change) =>
    change.op === 'send'
      ? change.deliveries.map(({ endpoint }) => `${endpoint} < ${change.message.position}`)
      : [],
  )

const endpoint = (key: string, position: number): Endpoint => ({
  key,
  company: 'company-a',
  position,
  url: 'https://a.example/',
  events: ['tenant.*'],
  ordered: false,
  active: true,
  secrets: [{ sealed: 'sealed' }],
})

describe('what fills the outbox', () => {
  it('sends what happens after a webhook was made, and nothing from before', async () =>
    expect(sent(await filled([tenant(1), hook(2), tenant(3), tenant(4)]))).to.deep.equal([
      `${A} < 3`,
      `${A} < 4`,
    ]))

  it('sends to no other company', async () => {
    const other = { company: 'company-b' }
    const all = [hook(1), hook(2, B, { Events: ['*'] }, other), tenant(3), tenant(4, other)]
    expect(sent(await filled(all))).to.deep.equal([`${A} < 3`, `${B} < 4`])
  })

  it('sends nothing that happened before the outbox began, and knows its webhooks all the same', async () =>
    expect(sent(await filled([hook(1), tenant(2), tenant(3)], { begin: 2 }))).to.deep.equal([`${A} < 3`]))

  it('sends nothing after a webhook was deleted or turned off', async () => {
    const deleted = event(3, A, 'webhook.deleted', {}, { version: 2 })
    const off = event(4, B, 'webhook.updated', { IsActive: false }, { version: 2 })
    const changes = await filled([hook(1), hook(2, B), deleted, off, tenant(5)])
    expect(sent(changes)).to.deep.equal([])
    expect(changes).to.deep.include({ op: 'forget', key: A, position: 3 })
  })

  it('tells the other webhooks of one that was disabled, once', async () => {
    const made = [hook(1), hook(2, B, { Events: ['webhook.disabled'] })]
    const data = { IsActive: false, DisabledReason: 'gone' }
    const changes = await filled([...made, event(3, A, 'webhook.updated', data, { version: 2 })])
    expect(sent(changes)).to.deep.equal([`${B} < 3`])
  })

  it('leaves others their turn, however much there is to fill in', async () => {
    let turns = 0
    let going = true
    const count = () => {
      turns++
      if (going) setImmediate(count)
    }
    setImmediate(count)
    const tenants = Array.from({ length: 2_000 }, (_, i) => tenant(i + 2))
    expect(sent(await filled([hook(1), ...tenants]))).to.have.length(2_000)
    going = false
    expect(turns).to.be.at.least(4)
  })

  describe('when events come again after a crash, to endpoints that are further', () => {
    it('does not send what happened before the webhook was made', async () => {
      const again = [tenant(3), hook(5), tenant(6)]
      const changes = await filled(again, { endpoints: [endpoint(A, 5)] })
      expect(sent(changes)).to.deep.equal([`${A} < 6`])
    })

    it('does not take the webhook for what it was before', async () => {
      const changed = event(5, A, 'webhook.updated', { Events: ['building.*'] }, { version: 2 })
      const known = { ...endpoint(A, 5), events: ['building.*'] }
      const changes = await filled([hook(2), tenant(3), changed, tenant(6)], { endpoints: [known] })
      // What was to be sent before the change was stored before it.
      expect(sent(changes)).to.deep.equal([])
      expect(changes.flatMap((one) => (one.op === 'endpoint' ? one.endpoint.position : []))).to.deep.equal([
        5,
      ])
    })
  })
})
