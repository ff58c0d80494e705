import { expect } from 'chai'
import { Conflict, Invalid, Unavailable } from '../../../src/domain/errors.ts'
import { create, faultsOf, given, happened, record, remove, update, type Doing } from '../../support/given.ts'
import { key, newKey, recordsIn, writeSide } from '../../support/write-side.ts'
import {
  gate,
  holdingFirst,
  memoryEventStore,
  memoryLog,
  type Interference,
} from '../../support/memory-event-store.ts'

const rent = { Amount: 1250.5, Currency: 'EUR' }
const [ann, bea, house] = [key('tenant', 1), key('tenant', 2), key('building', 1)]
const annCreated = happened(ann, 'tenant.created', { Name: 'Ann' })
const houseCreated = happened(house, 'building.created', { Name: 'House' })
const lease = (lookups: Record<string, string>) =>
  create('contract', { MonthlyRent: rent, StartDate: '2027-01-01', ...lookups })
const signed = (lookups: Record<string, string>) =>
  happened(newKey('contract'), 'contract.created', {
    Status: 'Draft',
    MonthlyRent: rent,
    StartDate: '2027-01-01',
    ...lookups,
    ContractNumber: 'CON-2026-0001',
  })

describe('a lookup', () => {
  it('points to a record that is there', () =>
    given(annCreated, houseCreated)
      .when(lease({ Tenant: ann, Building: house }))
      .then(signed({ Tenant: ann, Building: house })))

  it('is refused when there is no such record, in any way, and each is named', async () => {
    const missing = [`Tenant: there is no tenant ${ann}`, `Building: there is no building ${house}`]
    const both = { Tenant: ann, Building: house }
    await given()
      .when(lease(both))
      .thenRefused(Invalid, ...missing)
    await given(
      annCreated,
      houseCreated,
      happened(ann, 'tenant.deleted'),
      happened(house, 'building.deleted'),
    )
      .when(lease(both))
      .thenRefused(Invalid, ...missing)
  })

  it("to another company's record is refused in the words of one to none", async () => {
    const side = writeSide()
    await record(side.events, [annCreated], 'company-2')
    await given()
      .when(lease({ Tenant: ann }), side)
      .thenRefused(Invalid, `Tenant: there is no tenant ${ann}`)
  })

  it('to a record of another object is refused by its Key', () =>
    given(houseCreated)
      .when(lease({ Tenant: house }))
      .thenRefused(Invalid, 'Tenant: must be the Key of a tenant, as text: tenant-…'))

  it('is held against an update that writes it, and against no other', async () => {
    const contract = happened(key('contract', 1), 'contract.created', { Tenant: bea, Status: 'Draft' })
    await given(contract)
      .when(update(key('contract', 1), { Tenant: ann }))
      .thenRefused(Invalid, `Tenant: there is no tenant ${ann}`)
    await given(contract)
      .when(update(key('contract', 1), { Notes: 'x' }))
      .then(happened(key('contract', 1), 'contract.updated', { Notes: 'x' }))
    await given(contract, annCreated)
      .when(update(key('contract', 1), { Tenant: ann }))
      .then(happened(key('contract', 1), 'contract.updated', { Tenant: ann }))
  })

  it('may point to the record itself', () =>
    given(annCreated)
      .when(update(ann, { Guarantor: ann }))
      .then(happened(ann, 'tenant.updated', { Guarantor: ann })))

  it('that cannot be checked stops the write, whatever else cannot be checked', async () => {
    const interference: Interference = {
      reading(stream) {
        if (stream === ann || stream === house) throw new Unavailable('the store is down')
      },
    }
    const side = writeSide({ interference })
    // A rejection that nobody handles ends the process; mocha alone passes over it.
    const unhandled: unknown[] = []
    const note = (reason: unknown) => unhandled.push(reason)
    process.on('unhandledRejection', note)
    try {
      const [outcome] = await Promise.allSettled([lease({ Tenant: ann, Building: house })(side.write)])
      expect((outcome as PromiseRejectedResult).reason).to.be.instanceOf(Unavailable)
      await new Promise((resolve) => setImmediate(resolve))
    } finally {
      process.off('unhandledRejection', note)
    }
    expect(unhandled).to.deep.equal([])
    expect(side.log.rows).to.have.length(0)
  })
})

describe('a lookup and the deletion of what it points to, at once in one process', () => {
  const dangling = (log: ReturnType<typeof memoryLog>) => {
    const records = recordsIn(log)
    return [...records].filter(([, { state }]) => {
      const looked = state.fields['Tenant'] as string | undefined
      return state.status === 'live' && looked && records.get(looked)?.state.status !== 'live'
    })
  }
  /** Both begin; the first is held at its append until the second has come as far as it can. */
  const inOrder = async (first: Doing, second: Doing) => {
    const log = memoryLog()
    await record(memoryEventStore({ log }), [
      annCreated,
      happened(key('contract', 1), 'contract.created', { Status: 'Draft' }),
    ])
    const held = gate()
    const interference = holdingFirst(held, /^(contract|tenant)-/)
    const { write } = writeSide({ log, interference })
    const started = first(write)
    await held.reached
    const other = second(write)
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    held.open()
    const outcomes = await Promise.allSettled([started, other])
    expect(dangling(log)).to.deep.equal([])
    expect(outcomes[0].status).to.equal('fulfilled')
    return outcomes[1]
  }

  it('the deletion that comes later is refused', async () => {
    for (const pointing of [lease({ Tenant: ann }), update(key('contract', 1), { Tenant: ann })])
      expect(faultsOf(await inOrder(pointing, remove(ann)), Conflict)[0]).to.include(
        'is looked up by contract-',
      )
  })

  it('the lookup that comes later is refused', async () => {
    for (const pointing of [lease({ Tenant: ann }), update(key('contract', 1), { Tenant: ann })])
      expect(faultsOf(await inOrder(remove(ann), pointing), Invalid)).to.deep.equal([
        `Tenant: there is no tenant ${ann}`,
      ])
  })

  it('lookups of the same record do not wait for one another', async () => {
    const held = gate()
    const side = writeSide({ interference: holdingFirst(held, /^contract-/) })
    await record(side.events, [annCreated])
    const slow = lease({ Tenant: ann })(side.write)
    await held.reached
    await lease({ Tenant: ann })(side.write)
    held.open()
    await slow
  })
})
