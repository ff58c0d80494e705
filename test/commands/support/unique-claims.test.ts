import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { ownMetadata } from '../../../src/commands/support/metadata.ts'
import { claimsOf, uniqueClaims } from '../../../src/commands/support/unique-claims.ts'
import { Conflict, Invalid, Unavailable } from '../../../src/domain/errors.ts'
import { create, faultsOf, given, happened, record, remove, restore, update } from '../../support/given.ts'
import { memoryLog, type Interference, type MemoryLog } from '../../support/memory-event-store.ts'
import {
  caller,
  COMPANY,
  definition,
  key,
  manualClock,
  newKey,
  recordsIn,
  writeSide,
} from '../../support/write-side.ts'
import { bearers, named, ownerOf, race, TAKEN, tenant } from '../external-ids.ts'

describe('a unique value', () => {
  it('belongs to one record: another that wants it is refused', async () => {
    const side = writeSide()
    await named('Ann')(side.write)
    await given().when(named('Bea'), side).thenRefused(Conflict, TAKEN)
    await named('Bea', 'E-2')(side.write)
    await given()
      .when(update(newKey('tenant', 3), { ExternalId: 'E-1' }), side)
      .thenRefused(Conflict, TAKEN)
    expect(await ownerOf(side, 'E-1')).to.equal(newKey('tenant', 1))
  })

  it('is none when there is none: many records have no value', async () => {
    const side = writeSide()
    for (const value of [null, null]) await named('Ann', value)(side.write)
    expect(side.log.all().map(({ type }) => type)).to.deep.equal(['tenant.created', 'tenant.created'])
  })

  it('is exact: case, blanks and type make another', async () => {
    const side = writeSide()
    for (const value of ['E-1', 'e-1', ' E-1', 'E-1 ', '']) await named('Ann', value)(side.write)
    await create('tenant', { Name: 'Ann', TaxNumber: 1, ExternalId: '1' })(side.write)
    expect(recordsIn(side.log).size).to.equal(6)
  })

  it('belongs to its company', async () => {
    const side = writeSide()
    await named('Ann')(side.write)
    await create('tenant', { Name: 'Bea', ExternalId: 'E-1' }, { company: 'company-2' })(side.write)
    expect([await ownerOf(side, 'E-1'), await ownerOf(side, 'E-1', 'company-2')]).to.deep.equal([
      newKey('tenant', 1),
      newKey('tenant', 2),
    ])
  })

  it('may be said again by its own record', async () => {
    const side = writeSide()
    await named('Ann')(side.write)
    await given()
      .when(update(newKey('tenant'), { ExternalId: 'E-1', Name: 'Bea' }), side)
      .then(happened(newKey('tenant'), 'tenant.updated', { Name: 'Bea' }))
  })

  it('is one of a unique field that has a value; numbers are unique by themselves', () => {
    const fields = { ExternalId: 'E-1', Name: 'Ann', TaxNumber: null }
    expect(claimsOf(tenant, fields).map(({ field, value }) => [field.name, value])).to.deep.equal([
      ['ExternalId', 'E-1'],
    ])
    expect(claimsOf(definition('contract'), { ContractNumber: 'CON-2026-0001' })).to.deep.equal([])
  })

  it('counts though nobody has claimed it, while its field is among those that became unique', async () => {
    const { events, states, clock } = writeSide()
    const [ann, bea, gone] = [key('tenant', 1), key('tenant', 2), key('tenant', 3)]
    await record(events, [happened(ann, 'tenant.created', { Name: 'Ann', ExternalId: 'E-1' })])
    await record(events, [happened(gone, 'tenant.created', { Name: 'Cem', ExternalId: 'E-2' })])
    let isUnclaimed = true
    const unclaimed = { has: () => isUnclaimed, bearers: async () => [gone, ann, bea] }
    const claims = uniqueClaims({ events, states, clock, nameOf: async () => '0'.repeat(40), unclaimed })
    const [claim] = claimsOf(tenant, { ExternalId: 'E-1' })
    const by = {
      command: caller().command,
      metadata: ownMetadata(COMPANY, caller().command, { type: 'claim.taken', command: 'x', now: 0 }),
      sharesClaims: false,
    }
    const take = (of: string) => claims.take(tenant, of, [claim!], by).catch((error: unknown) => error)
    expect(await take(bea), 'another has it').to.be.instanceOf(Conflict)
    expect(await claims.ownerOf(COMPANY, tenant, claim!)).to.equal(ann)
    isUnclaimed = false
    expect(await claims.ownerOf(COMPANY, tenant, claim!)).to.equal(undefined)
    isUnclaimed = true
    expect(await take(ann), 'its own').to.equal(undefined)
  })

  it('is looked for in the event store only once the key of the company is there', async () => {
    const { events, states, clock } = writeSide()
    const nameOf = () => Promise.reject(new Unavailable('the keys are away'))
    const claims = uniqueClaims({ events, states, clock, nameOf })
    let asked = 0
    const ask = <T>(read: () => Promise<T>) => {
      asked++
      return read()
    }
    const claim = claimsOf(tenant, { ExternalId: 'E-1' })[0]!
    const refused = await claims.ownerOf(COMPANY, tenant, claim, ask).catch((error: unknown) => error)
    expect([String(refused), asked]).to.deep.equal(['Unavailable: the keys are away', 0])
    const named = uniqueClaims({ events, states, clock, nameOf: async () => '0'.repeat(40) })
    await named.ownerOf(COMPANY, tenant, claim, ask)
    expect(asked).to.equal(1)
  })

  it('has a stream of its own, whose name tells nothing and fits every store', async () => {
    const side = writeSide()
    const body = { Name: 'Ann', ExternalId: 'Zoë / ${secret}' }
    await side.write.create(caller(), { definition: tenant, body })
    const [name] = side.log.all().flatMap(({ stream }) => (stream.startsWith('claim-') ? [stream] : []))
    expect(name).to.match(/^claim-[0-9a-f]{40}$/)
    const text = JSON.stringify([COMPANY, 'tenant', 'ExternalId', body.ExternalId])
    expect(name, 'whoever knows the value cannot look it up').not.to.include(
      createHash('sha256').update(text).digest('hex').slice(0, 40),
    )
  })
})

describe('records that want one value at once', () => {
  const oneWins = (outcomes: readonly PromiseSettledResult<unknown>[], log: MemoryLog) => {
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(faultsOf(outcome, Conflict)).to.deep.equal([TAKEN])
    expect(bearers(log)).to.have.length(1)
  }

  it('one of 20 creates wins, in one process', async () => {
    const side = writeSide()
    oneWins(await race(side, ...Array.from({ length: 20 }, (_, index) => named(`tenant ${index}`))), side.log)
  })

  it('one wins in two processes, of creates and updates', async () => {
    const log = memoryLog()
    const sides = [1, 2].map((process) => writeSide({ log, process, onlyWriter: false }))
    await record(sides[0]!.events, [happened(key('tenant', 1), 'tenant.created', { Name: 'Ann' })])
    await record(sides[0]!.events, [happened(key('tenant', 2), 'tenant.created', { Name: 'Bea' })])
    const outcomes = await Promise.all(
      sides.map((side, index) =>
        race(side, named('Cem'), update(key('tenant', index + 1), { ExternalId: 'E-1' }), named('Dan')),
      ),
    )
    oneWins(outcomes.flat(), log)
  })

  it('two fields crosswise: no command waits for ever, and no value has two records', async () => {
    const side = writeSide()
    const both = (Name: string) => create('tenant', { Name, ExternalId: 'E-1', TaxNumber: 7 })
    const outcomes = await race(side, both('Ann'), both('Bea'), both('Cem'))
    expect(outcomes.map(({ status }) => status).toSorted()).to.deep.equal([
      'fulfilled',
      'rejected',
      'rejected',
    ])
  })
})

describe('a value that is let go', () => {
  it('can be had by another: after an update, a clearing and a deletion', async () => {
    for (const letGo of [
      update(newKey('tenant'), { ExternalId: 'E-2' }),
      update(newKey('tenant'), { ExternalId: null }),
      remove(newKey('tenant')),
    ]) {
      const side = writeSide()
      await named('Ann')(side.write)
      await letGo(side.write)
      expect(await ownerOf(side, 'E-1')).to.equal(undefined)
      await named('Bea')(side.write)
      expect(bearers(side.log)).to.deep.equal([newKey('tenant', 2)])
    }
  })

  it('is claimed again by a restore, or the restore is refused', async () => {
    const side = writeSide()
    await named('Ann')(side.write)
    await remove(newKey('tenant'))(side.write)
    await restore(newKey('tenant'))(side.write)
    await given().when(named('Bea'), side).thenRefused(Conflict, TAKEN)
    await remove(newKey('tenant'))(side.write)
    await named('Cem')(side.write)
    await given()
      .when(restore(newKey('tenant')), side)
      .thenRefused(Conflict, TAKEN)
  })

  it('can be swapped through a third', async () => {
    const side = writeSide()
    await named('Ann', 'E-1')(side.write)
    await named('Bea', 'E-2')(side.write)
    const [ann, bea] = [newKey('tenant', 1), newKey('tenant', 2)]
    for (const [stream, ExternalId] of [
      [ann, 'E-3'],
      [bea, 'E-1'],
      [ann, 'E-2'],
    ] as const)
      await update(stream, { ExternalId })(side.write)
    expect([bearers(side.log, 'E-1'), bearers(side.log, 'E-2')]).to.deep.equal([[bea], [ann]])
  })
})

describe('a write that fails', () => {
  it('of several values takes none when one is taken', async () => {
    const side = writeSide()
    await create('tenant', { Name: 'Ann', TaxNumber: 7 })(side.write)
    const wanted = { Name: 'Bea', ExternalId: 'E-1', TaxNumber: 7 }
    await given()
      .when(create('tenant', wanted), side)
      .thenRefused(Conflict, 'TaxNumber: another tenant has this value')
    await named('Cem', 'E-1')(side.write)
  })

  it('for another reason has taken none', async () => {
    const side = writeSide()
    await given()
      .when(create('tenant', { Name: 'Ann', ExternalId: 'E-1', Guarantor: key('tenant', 9) }), side)
      .thenRefused(Invalid, `Guarantor: there is no tenant ${key('tenant', 9)}`)
    await named('Bea')(side.write)
  })

  it('because others were faster leaves what it had claimed to lapse: they may rely on it', async () => {
    const log = memoryLog()
    const clock = manualClock()
    const interference: Interference = {}
    const mine = writeSide({ log, clock, interference, onlyWriter: false })
    const theirs = writeSide({ log, clock, process: 2, onlyWriter: false })
    const ann = key('tenant', 1)
    await record(theirs.events, [happened(ann, 'tenant.created', { Name: 'Ann' })])
    let score = 0
    interference.before = async ({ stream }) => {
      if (stream === ann) await record(theirs.events, [happened(ann, 'tenant.updated', { Score: ++score })])
    }
    const [outcome] = await race(mine, update(ann, { ExternalId: 'E-1' }))
    faultsOf(outcome!, Conflict)
    await given().when(named('Bea'), theirs).thenRefused(Conflict, TAKEN)
    clock.pass(30_000)
    await named('Cem')(theirs.write)
    expect(bearers(log)).to.have.length(1)
  })

  it('before its record was written lets go what it had claimed', async () => {
    const interference: Interference = {
      before({ stream }) {
        if (stream.startsWith('numbering-')) throw new Unavailable('the disk is full')
      },
    }
    const side = writeSide({ interference })
    const lease = { MonthlyRent: { Amount: 1, Currency: 'EUR' }, StartDate: '2027-01-01', Reference: 'R-1' }
    const [outcome] = await race(side, create('contract', lease))
    expect((outcome as PromiseRejectedResult).reason).to.be.instanceOf(Unavailable)
    delete interference.before
    await create('contract', lease)(side.write)
  })
})
