import { expect } from 'chai'
import { Conflict, Invalid, NotFound, Unavailable } from '../../src/domain/errors.ts'
import { given, happened, record, remove, restore, update } from '../support/given.ts'
import { key, readModelsOf, recordsIn, writeSide } from '../support/write-side.ts'
import { gate, memoryLog, type Interference } from '../support/memory-event-store.ts'

const ann = key('tenant', 1)
const created = happened(ann, 'tenant.created', { Name: 'Ann', ExternalId: 'E-1' })
const deleted = happened(ann, 'tenant.deleted')
const lease = (number: number) => key('contract', number)
const leaseOf = (number: number, tenant = ann) =>
  happened(lease(number), 'contract.created', { Tenant: tenant, Status: 'Draft' })

describe('delete a record', () => {
  it('is an event; the fields stay for its history', async () => {
    const written = await given(created).when(remove(ann)).then(deleted)
    expect(written.state).to.deep.include({ status: 'deleted', version: 2, fields: created.data })
  })

  it('finds it only once, and never one of another company', async () => {
    await given().when(remove(ann)).thenRefused(NotFound)
    await given(created, deleted).when(remove(ann)).thenRefused(NotFound)
    await given(created)
      .when(remove(ann, { company: 'company-2' }))
      .thenRefused(NotFound)
  })

  it('is refused when others look the record up, and names them', async () => {
    await given(created, leaseOf(1), leaseOf(2, key('tenant', 2)))
      .when(remove(ann))
      .thenRefused(Conflict, `contract.Tenant: is looked up by ${lease(1)}`)
    const guaranteed = happened(key('tenant', 2), 'tenant.created', { Name: 'Bea', Guarantor: ann })
    await given(created, leaseOf(1), guaranteed)
      .when(remove(ann))
      .thenRefused(
        Conflict,
        `contract.Tenant: is looked up by ${lease(1)}`,
        `tenant.Guarantor: is looked up by ${key('tenant', 2)}`,
      )
  })

  it('names five of many', () =>
    given(created, ...[1, 2, 3, 4, 5, 6, 7].map((number) => leaseOf(number)))
      .when(remove(ann))
      .thenRefused(
        Conflict,
        `contract.Tenant: is looked up by ${[1, 2, 3, 4, 5].map(lease).join(', ')} and 2 more`,
      ))

  it('does not mind those who have looked it up and do no more', () =>
    given(
      created,
      leaseOf(1),
      happened(lease(1), 'contract.deleted'),
      leaseOf(2),
      happened(lease(2), 'contract.updated', { Tenant: null }),
    )
      .when(remove(ann))
      .then(deleted))

  it('does not mind that the record looks itself up', () =>
    given(happened(ann, 'tenant.created', { Name: 'Ann', Guarantor: ann }))
      .when(remove(ann))
      .then(deleted))

  it('waits until the read models can tell who looks it up, and does nothing when they cannot', async () => {
    const log = memoryLog()
    const asked: [number, number][] = []
    const reached = async (position: number, timeoutMs: number) => asked.push([position, timeoutMs]) > 1
    const side = writeSide({ log, readModels: { ...readModelsOf(log), reached } })
    await given(created).when(remove(ann), side).thenRefused(Unavailable)
    await given().when(remove(ann), side).then(deleted)
    expect(asked).to.deep.equal([
      [1, 2_000],
      [1, 2_000],
    ])
  })
})

describe('restore a record', () => {
  it('brings it back as it was', async () => {
    const written = await given(created, deleted).when(restore(ann)).then(happened(ann, 'tenant.restored'))
    expect(written.state).to.deep.include({ status: 'live', version: 3, fields: created.data })
  })

  it('changes nothing when it is there', () => given(created).when(restore(ann)).thenNothing())

  it('finds none that was never there', async () => {
    await given().when(restore(ann)).thenRefused(NotFound)
    await given(created, deleted)
      .when(restore(ann, { company: 'company-2' }))
      .thenRefused(NotFound)
  })

  it('is refused when what it looks up is gone', () =>
    given(created, leaseOf(1), happened(lease(1), 'contract.deleted'), deleted)
      .when(restore(lease(1)))
      .thenRefused(Invalid, `Tenant: there is no tenant ${ann}`))

  it('is not refused when the record looks itself up', () =>
    given(happened(ann, 'tenant.created', { Name: 'Ann', Guarantor: ann }), deleted)
      .when(restore(ann))
      .then(happened(ann, 'tenant.restored')))

  it('and the deletion of what it looks up: one of them is refused, whatever comes first', async () => {
    for (const order of [
      [restore(lease(1)), remove(ann)],
      [remove(ann), restore(lease(1))],
    ]) {
      const side = writeSide()
      await record(side.events, [created, leaseOf(1), happened(lease(1), 'contract.deleted')])
      const race = await Promise.allSettled(order.map((doing) => doing(side.write)))
      const records = recordsIn(side.log)
      const dangling =
        records.get(lease(1))?.state.status === 'live' && records.get(ann)?.state.status === 'deleted'
      expect(dangling, 'a contract of a tenant that is deleted').to.equal(false)
      expect(race.map(({ status }) => status)).to.have.members(['fulfilled', 'rejected'])
    }
  })
})

describe('delete and change at once', () => {
  it('in one process: the later one finds what the earlier one left', async () => {
    const side = writeSide()
    await record(side.events, [created])
    const [removed, changed] = await Promise.allSettled([
      remove(ann)(side.write),
      update(ann, { Phone: '1' })(side.write),
    ])
    expect([removed.status, changed.status]).to.deep.equal(['fulfilled', 'rejected'])
    expect((changed as PromiseRejectedResult).reason).to.be.instanceOf(NotFound)
  })

  it('in two processes: a change that was decided on a record deleted meanwhile is not made', async () => {
    const log = memoryLog()
    const held = gate()
    const interference: Interference = { before: () => held.hold() }
    const [mine, theirs] = [
      writeSide({ log, interference, onlyWriter: false }),
      writeSide({ log, process: 2, onlyWriter: false }),
    ]
    await record(theirs.events, [created])
    const changing = Promise.allSettled([update(ann, { Phone: '1' })(mine.write)])
    await held.reached
    await remove(ann)(theirs.write)
    held.open()
    const [changed] = await changing
    expect((changed as PromiseRejectedResult).reason).to.be.instanceOf(NotFound)
    expect(recordsIn(log).get(ann)?.state).to.deep.include({ status: 'deleted', version: 2 })
  })
})
