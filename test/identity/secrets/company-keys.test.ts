/** Keys of companies: names that give nothing away, answers that can be forgotten, and other keys that are noticed. */
import { expect } from 'chai'
import { beginRenewing, checkKeys, openWith } from '../../../src/identity/secrets/check-keys.ts'
import { keyRecords } from '../../../src/identity/secrets/key-records.ts'
import { companyKeys, KeyLost } from '../../../src/identity/secrets/company-keys.ts'
import { openKeptKeys } from '../../../src/identity/secrets/open-kept-keys.ts'
import { sealer } from '../../../src/identity/secrets/sealed-secrets.ts'
import { memoryEventStore, memoryLog } from '../../support/memory-event-store.ts'
import { memoryKeyStore } from '../../support/memory-keys.ts'
import { manualClock } from '../../support/write-side.ts'

describe('keys of companies', () => {
  const [oldKey, newKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
  const opened = (
    store = memoryKeyStore(),
    { clock = manualClock('2026-03-01T23:00:00.000Z'), log = memoryLog(), master = [oldKey] } = {},
  ) => {
    const records = keyRecords({ events: memoryEventStore({ log }), now: clock.now })
    return {
      clock,
      store,
      log,
      keys: companyKeys({ store, records, sealer: sealer(master), now: clock.now }),
    }
  }
  const refusalOf = (work: Promise<unknown>) => work.catch((error: unknown) => error)

  it('name a text alike in every process, and otherwise for each company', async () => {
    const { store, keys } = opened()
    const name = await keys.nameOf('company-1', 'text')
    expect(name).to.match(/^[0-9a-f]{64}$/)
    expect(await opened(store).keys.nameOf('company-1', 'text')).to.equal(name)
    expect(await keys.nameOf('company-2', 'text')).not.to.equal(name)
    expect(await opened().keys.nameOf('company-1', 'text'), 'another store').not.to.equal(name)
  })

  it('are one where many ask for a new one at once', async () => {
    const { store, log } = opened()
    const names = await Promise.all(
      Array.from({ length: 5 }, () => opened(store, { log }).keys.nameOf('company-1', 'text')),
    )
    expect(new Set(names).size).to.equal(1)
    expect(log.all().map(({ type }) => type)).to.deep.equal(['keys.made'])
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

  it('are not made again where one is missing that the events know, or taken where it is another', async () => {
    const { store, log, keys } = opened()
    await keys.nameOf('company-1', 'text')
    const empty = memoryKeyStore()
    const missing = await refusalOf(opened(empty, { log }).keys.nameOf('company-1', 'text'))
    expect(missing).to.be.instanceOf(KeyLost)
    expect(String(missing)).to.include('company-1 is missing').and.to.include('claim-again')
    expect(await empty.list()).to.deep.equal([])
    await opened(empty).keys.nameOf('company-1', 'text')
    expect(String(await refusalOf(opened(empty, { log }).keys.nameOf('company-1', 'text')))).to.include(
      'is not the one',
    )
    await opened(empty, { log }).keys.nameOf('company-2', 'text')
    expect(await opened(store, { log }).keys.nameOf('company-1', 'text')).to.match(/^[0-9a-f]{64}$/)
  })

  it('are recorded before they are used, also by who finds one that was cut off before that', async () => {
    const { store, keys } = opened()
    await keys.nameOf('company-1', 'text')
    const log = memoryLog()
    await opened(store, { log }).keys.nameOf('company-1', 'text')
    expect(log.all().map(({ type, stream }) => [type, stream])).to.deep.equal([
      ['keys.made', 'keys-company-1'],
    ])
    expect(JSON.stringify(log.all())).to.not.include((await store.find('company-1', 'claims'))!)
  })

  it('can be renewed where they are lost: then the new one counts', async () => {
    const { store, log, keys } = opened()
    const lost = await keys.nameOf('company-1', 'text')
    const other = opened(store, { log, master: [newKey] }).keys
    expect(await refusalOf(other.nameOf('company-1', 'text'))).to.be.instanceOf(KeyLost)
    await other.renew('company-1')
    const name = await other.nameOf('company-1', 'text')
    expect(name).to.not.equal(lost)
    expect(await opened(store, { log, master: [newKey] }).keys.nameOf('company-1', 'text')).to.equal(name)
  })

  it('all have to open at the start, and are sealed again by the first master key', async () => {
    const { store, log, keys } = opened()
    const name = await keys.nameOf('company-1', 'text')
    const answer = await keys.seal('company-1', 'answer', 'request-1')
    const open = (...master: Buffer[]) => openKeptKeys({ store, sealer: sealer(master), place: 'keys.db' })
    expect(String(await refusalOf(open(newKey))))
      .to.include('keys.db cannot be opened')
      .and.to.include('SECRETS_KEYS')
    expect(await open(oldKey)).to.equal(0)
    expect(await open(newKey, oldKey)).to.equal(2)
    expect(await open(newKey, oldKey)).to.equal(0)
    expect(await open(newKey), 'the old one can go').to.equal(0)
    const later = opened(store, { log, master: [newKey] }).keys
    expect(await later.nameOf('company-1', 'text')).to.equal(name)
    expect(await later.open('company-1', answer, 'request-1')).to.equal('answer')
  })

  it('are noticed when they are others than the events were written with', async () => {
    const [events, store] = [memoryEventStore({}), memoryKeyStore()]
    const check = (kept = store) => checkKeys({ events, store: kept, place: 'keys.db', now: () => 0 })
    await Promise.all([check(), check()])
    await check()
    const error = await check(memoryKeyStore()).catch((reason: unknown) => reason)
    expect(String(error)).to.contain('keys.db are not those that this store was written with')
  })

  it('stop the start while they are being renewed', async () => {
    const [events, store] = [memoryEventStore({}), memoryKeyStore()]
    const now = () => 0
    const check = () => checkKeys({ events, store, place: 'keys.db', now })
    await check()
    await beginRenewing({ events, now })
    expect(String(await refusalOf(check()))).to.contain('npm run claim-again')
    await openWith({ events, store, now })
    await check()
  })
})
