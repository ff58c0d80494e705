/** Keys of companies: names that give nothing away, answers that can be forgotten, and other keys that are noticed. */
import { expect } from 'chai'
import { checkKeys } from '../../../src/commands/support/check-keys.ts'
import { companyKeys } from '../../../src/identity/secrets/company-keys.ts'
import { sealer } from '../../../src/identity/secrets/sealed-secrets.ts'
import { memoryEventStore } from '../../support/memory-event-store.ts'
import { memoryKeyStore } from '../../support/memory-keys.ts'
import { manualClock } from '../../support/write-side.ts'

describe('keys of companies', () => {
  const opened = (store = memoryKeyStore(), clock = manualClock('2026-03-01T23:00:00.000Z')) => ({
    clock,
    store,
    keys: companyKeys({ store, sealer: sealer([Buffer.alloc(32, 1)]), now: clock.now }),
  })

  it('name a text alike in every process, and otherwise for each company', async () => {
    const { store, keys } = opened()
    const name = await keys.nameOf('company-1', 'text')
    expect(name).to.match(/^[0-9a-f]{64}$/)
    expect(await opened(store).keys.nameOf('company-1', 'text')).to.equal(name)
    expect(await keys.nameOf('company-2', 'text')).not.to.equal(name)
    expect(await opened().keys.nameOf('company-1', 'text'), 'another store').not.to.equal(name)
  })

  it('are one where many ask for a new one at once', async () => {
    const { store } = opened()
    const names = await Promise.all(
      Array.from({ length: 5 }, () => opened(store).keys.nameOf('company-1', 'text')),
    )
    expect(new Set(names).size).to.equal(1)
  })

  it('open what they sealed for 24 hours at least, and not for another owner; then the key is destroyed', async () => {
    const { store, clock, keys } = opened()
    const sealed = await keys.seal('company-1', 'what was answered', 'request-1')
    expect(sealed).not.to.contain('answered')
    clock.pass(24 * 3_600_000)
    await keys.forget()
    expect(await opened(store).keys.open('company-1', sealed, 'request-1')).to.equal('what was answered')
    const refused = await keys.open('company-1', sealed, 'request-2').catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(Error)
    clock.pass(24 * 3_600_000)
    await keys.forget()
    expect(await keys.open('company-1', sealed, 'request-1')).to.equal(undefined)
    expect(await opened(store).keys.open('company-1', sealed, 'request-1')).to.equal(undefined)
  })

  it('are noticed when they are others than the events were written with', async () => {
    const [events, store] = [memoryEventStore({}), memoryKeyStore()]
    const check = (kept = store) => checkKeys({ events, store: kept, place: 'keys.db', now: () => 0 })
    await Promise.all([check(), check()])
    await check()
    const error = await check(memoryKeyStore()).catch((reason: unknown) => reason)
    expect(String(error)).to.contain('keys.db are not those that this store was written with')
  })
})
