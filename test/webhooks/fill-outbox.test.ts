/** What becomes of events on their way into the outbox: who gets which, and from when on (W8). */
import { expect } from 'chai'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import type { Fields } from '../../src/domain/json.ts'
import type { Endpoint, OutboxChange } from '../../src/ports/outbox.ts'
import { fillOutbox, webhooksProjection } from '../../src/webhooks/fill-outbox.ts'
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

interface Given {
  readonly endpoints?: readonly Endpoint[]
  /** All that is in the event store by now, when that is more than what is filled in. */
  readonly stored?: readonly RecordedEvent[]
  /** What the marks in the event log say. */
  readonly delivered?: number
  readonly disabled?: string[]
}

/** What fills an outbox that knows these endpoints, and what was stored in it. */
function filling({ endpoints = [], stored = [], delivered = 0, disabled = [] }: Given) {
  const changes: OutboxChange[] = []
  const store = fillOutbox({
    definitions: sampleDefinitions,
    events: {
      read: async (company, stream, after = 0) =>
        stored.filter(
          (one) => one.metadata.company === company && one.stream === stream && one.version > after,
        ),
    },
    outbox: {
      endpoints: async () => endpoints,
      position: async () => 0,
      store: async (some) => void changes.push(...some),
    },
    delivered: async () => delivered,
    onFilled: () => {},
    disable: async ({ key }) => void disabled.push(key),
    onTrouble: (message, error) => expect.fail(`${message}: ${String(error)}`),
  })
  const fill = (events: readonly RecordedEvent[]) => {
    const steps = events.map((one) => ({ position: one.position, operations: [one] }))
    return store.apply([{ projection: 'webhooks', steps }], events.at(-1)!.position)
  }
  return { changes, fill }
}

/** Fills an outbox that knows these endpoints, and answers what is stored. */
async function filled(events: readonly RecordedEvent[], given: Given = {}): Promise<readonly OutboxChange[]> {
  const { changes, fill } = filling({ stored: events, ...given })
  await fill(events)
  return changes
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

  it('sends nothing that was delivered before, as the marks say, when the outbox was lost', async () => {
    const gone = { IsActive: false, DisabledReason: 'gone' }
    const other = hook(2, B, { Events: ['*'] })
    const events = [
      hook(1),
      other,
      tenant(3),
      event(4, A, 'webhook.updated', gone, { version: 2 }),
      tenant(5),
    ]
    expect(sent(await filled(events, { delivered: 4 }))).to.deep.equal([`${B} < 5`])
    expect(sent(await filled(events, { delivered: 3 }))).to.deep.equal([`${B} < 4`, `${B} < 5`])
  })

  it('stops at an event of an object that is not known here, rather than lose it', () => {
    const { project } = webhooksProjection(sampleDefinitions)
    expect(project(tenant(1))).to.have.length(1)
    expect(() => project(event(2, keyed('permit', 2), 'permit.created', {}))).to.throw(
      'no definition of permit',
    )
    expect(project(event(3, 'claim-x', 'claim.made', {})), 'bookkeeping').to.deep.equal([])
  })

  describe('for a webhook whose filter does not fit the definitions any more', () => {
    const made = hook(1, A, { Filter: 'Nonsense eq 1' })

    it('sends nothing, switches it off, and goes on for the others', async () => {
      const disabled: string[] = []
      const changes = await filled([made, hook(2, B), tenant(3), tenant(4)], { disabled })
      expect(sent(changes)).to.deep.equal([`${B} < 3`, `${B} < 4`])
      expect(disabled).to.include(A)
      const [held] = changes.flatMap((one) =>
        one.op === 'endpoint' && one.endpoint.heldFrom !== undefined ? [one.endpoint] : [],
      )
      expect(held).to.include({ key: A, heldFrom: 2, position: 3 })
    })

    it('keeps its events, also while it is still on', async () => {
      const disabled: string[] = []
      const held = { ...endpoint(A, 1), heldFrom: 2 }
      expect(sent(await filled([tenant(3)], { endpoints: [held], disabled }))).to.deep.equal([])
      expect(disabled).to.deep.equal([A])
    })

    it('sends what was kept once the webhook is switched on again', async () => {
      const off = event(4, A, 'webhook.updated', { IsActive: false, DisabledReason: 'x' }, { version: 2 })
      const on = event(6, A, 'webhook.updated', { IsActive: true, Filter: null }, { version: 3 })
      const all = [made, tenant(3), off, tenant(5), on, tenant(7)]
      const changes = await filled(all)
      expect(sent(changes)).to.deep.equal([`${A} < 7`])
      expect(changes.flatMap((one) => (one.op === 'replay' ? [one.replay] : []))).to.deep.equal([
        { id: `held-${A}-2`, company: 'company-a', endpoint: A, after: 2, until: 6 },
      ])
    })
  })

  describe('as of the event, however late it is filled in', () => {
    const BUILDING = keyed('building', 'z')
    const data = (changes: readonly OutboxChange[]) =>
      changes.flatMap((one) =>
        one.op === 'send' ? [(JSON.parse(one.message.body) as { Data: Fields }).Data] : [],
      )

    it('sends the record and the names of what it looks up', async () => {
      const unit = keyed('unit', 'z')
      const events = [
        hook(1, A, { Events: ['unit.*'] }),
        event(2, BUILDING, 'building.created', { Name: 'Old hall', City: 'Bern' }),
        event(3, unit, 'unit.created', { Number: 'First', Building: BUILDING }),
        event(4, unit, 'unit.updated', { Number: 'Second' }, { version: 2 }),
      ]
      const later = [
        event(5, unit, 'unit.updated', { Number: 'Third' }, { version: 3 }),
        event(6, BUILDING, 'building.updated', { Name: 'New hall' }, { version: 2 }),
      ]
      const stored = [...events, ...later]
      // Nothing is remembered of what is already behind: all is read again.
      const { changes, fill } = filling({ stored, endpoints: [{ ...endpoint(A, 1), events: ['unit.*'] }] })
      await fill(events.slice(3))
      const [second] = data(changes)
      expect(second).to.include({ Number: 'Second', Version: 2 })
      expect(second!['Building']).to.deep.equal({ Id: BUILDING, Name: 'Old hall' })
    })

    it('filters by any field of what is looked up', async () => {
      const units = ['a', 'b'].map((name) => keyed('unit', name))
      const other = keyed('building', 'y')
      const changes = await filled([
        hook(1, A, { Events: ['unit.*'], Filter: "Building/City eq 'Bern'" }),
        event(2, BUILDING, 'building.created', { Name: 'Hall', City: 'Bern' }),
        event(3, other, 'building.created', { Name: 'Hall', City: 'Rome' }),
        event(4, units[0]!, 'unit.created', { Number: 'In', Building: BUILDING }),
        event(5, units[1]!, 'unit.created', { Number: 'Out', Building: other }),
      ])
      expect(data(changes).map(({ Number }) => Number)).to.deep.equal(['In'])
    })

    it('filters as if what is looked up were not there, once it is deleted', async () => {
      const changes = await filled([
        hook(1, A, { Events: ['unit.*'], Filter: "Building/City eq 'Bern'" }),
        event(2, BUILDING, 'building.created', { Name: 'Hall', City: 'Bern' }),
        event(3, BUILDING, 'building.deleted', {}, { version: 2 }),
        event(4, keyed('unit', 'a'), 'unit.created', { Number: 'Gone', Building: BUILDING }),
      ])
      expect(data(changes)).to.deep.equal([])
    })
  })

  it('does not send a webhook that it was disabled itself', async () => {
    const given = event(3, A, 'webhook.updated', { DisabledReason: 'gone' }, { version: 2 })
    const all = [hook(1, A, { Events: ['*'] }), hook(2, B, { Events: ['*'] }), given]
    expect(sent(await filled(all)).filter((one) => one.endsWith('< 3'))).to.deep.equal([`${B} < 3`])
  })

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
