/**
 * A lookup and the deletion of what it points to, at once in two processes. Neither sees the other; what is left is brought
 * back by the scheduler.
 */
import { expect } from 'chai'
import { mendReferences } from '../../../src/commands/support/mend-references.ts'
import { mendLookups } from '../../../src/timers/mend-lookups.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { create, happened, record, remove, update, type Doing } from '../../support/given.ts'
import {
  gate,
  memoryEventStore,
  memoryLog,
  holdingFirst,
  type Interference,
  type MemoryLog,
} from '../../support/memory-event-store.ts'
import {
  COMPANY,
  definitions,
  key,
  readModelsOf,
  recordsIn,
  writeSide,
  type WriteSide,
} from '../../support/write-side.ts'

const ann = key('tenant', 1)
const contract = key('contract', 1)
const rent = { Amount: 1250.5, Currency: 'EUR' }
const lease = create('contract', { MonthlyRent: rent, StartDate: '2027-01-01', Tenant: ann })
const LATER_MS = 31_000

describe('a lookup and the deletion of what it points to, at once in two processes', () => {
  let log: MemoryLog
  beforeEach(async () => {
    log = memoryLog()
    await record(memoryEventStore({ log }), [
      happened(ann, 'tenant.created', { Name: 'Ann', ExternalId: 'a-1' }),
      happened(contract, 'contract.created', { Status: 'Draft' }),
    ])
  })

  const processOf = (number: number, interference: Interference = {}) =>
    writeSide({ log, interference, onlyWriter: false, process: number })
  const statusOf = (of: string) => recordsIn(log).get(of)?.state.status
  const dangling = () =>
    [...recordsIn(log).values()].filter(
      ({ state }) => state.status === 'live' && state.fields['Tenant'] === ann && statusOf(ann) !== 'live',
    )

  /** The first is held at its append until the second, in another process, is done. */
  const crossing = async (first: Doing, second: Doing) => {
    const held = gate()
    const interference = holdingFirst(held, /^(contract|tenant)-/)
    const started = first(processOf(1, interference).write)
    await held.reached
    await second(processOf(2).write)
    held.open()
    await started
  }
  const troubles: string[] = []
  const mending = (side: WriteSide, reached = true) =>
    mendReferences({
      definitions,
      events: side.events,
      readModels: { ...readModelsOf(log), reached: async () => reached },
      states: side.states,
      write: side.write,
      identifiers: side,
      clock: side.clock,
      actor: 'daybook',
      readLagMs: 2_000,
      onTrouble: (message) => void troubles.push(message),
    })
  const deletion = () => log.all().findLast(({ type }) => type === 'tenant.deleted')!

  it('is looked at after no longer than a command takes, whatever clock stamped the deletion', async () => {
    await remove(ann)(processOf(1).write)
    const { wait } = mending(processOf(2))
    const waitAt = (recordedAt: string) =>
      wait({ ...deletion(), metadata: { ...deletion().metadata, recordedAt } })
    expect(waitAt('2026-03-01T09:30:00.000Z')).to.equal(30_000)
    expect(waitAt('2026-03-01T09:29:50.000Z')).to.equal(20_000)
    expect(waitAt('2026-03-01T09:00:00.000Z')).to.equal(0)
    expect(waitAt('2027-03-01T09:30:00.000Z'), 'a clock a year ahead').to.equal(30_000)
  })

  for (const [what, doing] of [
    ['created', lease],
    ['changed', update(contract, { Tenant: ann })],
  ] as const)
    for (const [order, first, second] of [
      ['before', doing, remove(ann)],
      ['after', remove(ann), doing],
    ] as const)
      it(`leave a record that was ${what}, ${order} the deletion was decided, without what it looks up, until that is mended`, async () => {
        await crossing(first, second)
        expect(dangling()).to.have.length(1)
        await mending(processOf(3)).mend(deletion())
        expect(dangling()).to.deep.equal([])
        const last = log.all().at(-1)!
        expect([last.stream, last.type, last.metadata.actor]).to.deep.equal([
          ann,
          'tenant.restored',
          'daybook',
        ])
        expect(last.reason).to.match(/^deleted while it was being looked up: is looked up by contract-/)
      })

  it('leave nothing to mend when nobody looks it up', async () => {
    await remove(ann)(processOf(1).write)
    await mending(processOf(2)).mend(deletion())
    expect(log.all().at(-1)!.type).to.equal('tenant.deleted')
  })

  it('are mended once, also by two schedulers', async () => {
    await crossing(lease, remove(ann))
    await Promise.all([mending(processOf(3)).mend(deletion()), mending(processOf(4)).mend(deletion())])
    await mending(processOf(5)).mend(deletion())
    expect(log.all().filter(({ type }) => type === 'tenant.restored')).to.have.length(1)
  })

  it('are tried again while reads lag', async () => {
    await crossing(lease, remove(ann))
    const error = await mending(processOf(3), false)
      .mend(deletion())
      .catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(Unavailable)
    expect(dangling()).to.have.length(1)
  })

  it('are told of when another record has the unique value by now', async () => {
    await crossing(lease, remove(ann))
    await create('tenant', { Name: 'Bea', ExternalId: 'a-1' })(processOf(2).write)
    await mending(processOf(3)).mend(deletion())
    expect(troubles.splice(0).join()).to.match(new RegExp(`${ann} is deleted.*cannot be brought back`))
  })

  describe('by the scheduler', () => {
    const started = (side: WriteSide) =>
      mendLookups({
        definitions,
        events: side.events,
        readModels: readModelsOf(log),
        states: side.states,
        write: side.write,
        identifiers: side,
        clock: side.clock,
        readLagMs: 2_000,
        log: { debug() {}, info() {}, warn() {}, error: (_fields, message) => void troubles.push(message) },
      })
    const until = async (condition: () => boolean) => {
      while (!condition()) await new Promise((resolve) => setImmediate(resolve))
    }
    const checkpoints = () => log.all().filter(({ type }) => type === 'mendedlookups.reached').length

    it('are mended when no command can be under way any more, and not looked at twice', async () => {
      await crossing(lease, remove(ann))
      const side = processOf(3)
      side.clock.pass(LATER_MS)
      const scheduler = await started(side)
      await until(() => checkpoints() === 1)
      await scheduler.stop()
      expect(statusOf(ann)).to.equal('live')
      const grown = log.all().length
      const again = await started(processOf(4))
      await remove(contract)(processOf(5).write)
      await again.stop()
      expect(log.all().length).to.equal(grown + 1)
      expect(troubles).to.deep.equal([])
    })

    it('are left alone before, and a stop does not wait for it', async () => {
      await crossing(lease, remove(ann))
      const scheduler = await started(processOf(3))
      await new Promise((resolve) => setImmediate(resolve))
      await scheduler.stop()
      expect([statusOf(ann), checkpoints()]).to.deep.equal(['deleted', 0])
    })
  })

  it('concern no deletion of what nothing can look up, and no other event', () => {
    const { concerns } = mending(processOf(1))
    const event = (stream: string, type: string) => ({ ...log.all()[0]!, stream, type })
    expect(concerns(event(ann, 'tenant.deleted'))).to.equal(true)
    expect(concerns(event(ann, 'tenant.updated'))).to.equal(false)
    expect(concerns(event(key('job', 1), 'job.deleted'))).to.equal(false)
    expect(concerns(event('claim-1', 'claim.released'))).to.equal(false)
    expect(COMPANY).to.equal(log.all()[0]!.metadata.company)
  })
})
