/** What every place for keys of companies does. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { KeyStore } from '../../src/ports/key-store.ts'

/** @param open the same place again each time */
export function keyStoreContract(open: () => Promise<KeyStore>): void {
  let stores: KeyStore[]
  let company: string
  const opened = async () => {
    const store = await open()
    stores.push(store)
    return store
  }
  beforeEach(() => {
    stores = []
    company = `company-${randomUUID()}`
  })
  afterEach(async () => {
    for (const store of stores) await store.close()
  })

  it('has an id that stays', async () => {
    const id = await (await opened()).id()
    expect(id).to.match(/^[0-9a-f-]{36}$/)
    expect(await (await opened()).id()).to.equal(id)
  })

  it('keeps the first key, for each company and purpose', async () => {
    const [one, other] = [await opened(), await opened()]
    expect(await one.find(company, 'claims')).to.equal(undefined)
    expect(await one.add(company, 'claims', 'k1')).to.equal('k1')
    expect(await other.add(company, 'claims', 'k2')).to.equal('k1')
    expect(await other.find(company, 'claims')).to.equal('k1')
    expect(await other.add(company, 'answers:2026-11-22', 'k3')).to.equal('k3')
    expect(await one.find(`${company}x`, 'claims')).to.equal(undefined)
  })

  it('lists all keys, whose and what for', async () => {
    const store = await opened()
    await store.id()
    await store.add(company, 'claims', 'k1')
    await store.add(company, 'answers:2026-11-22', 'k2')
    const own = (await store.list()).filter((key) => key.company === company)
    expect(own).to.have.deep.members([
      { company, purpose: 'claims', sealed: 'k1' },
      { company, purpose: 'answers:2026-11-22', sealed: 'k2' },
    ])
    expect((await store.list()).every((key) => key.purpose !== '')).to.equal(true)
  })

  it('replaces keys, each only where it is still the one that is kept', async () => {
    const [one, other] = [await opened(), await opened()]
    await one.add(company, 'claims', 'k1')
    await one.add(company, 'answers:2026-11-22', 'k2')
    await other.replace([
      { company, purpose: 'claims', sealed: 'k1', by: 'k3' },
      { company, purpose: 'answers:2026-11-22', sealed: 'k1', by: 'k4' },
      { company: `${company}x`, purpose: 'claims', sealed: 'k1', by: 'k5' },
    ])
    await other.replace([])
    const found = ['claims', 'answers:2026-11-22'].map((purpose) => one.find(company, purpose))
    expect(await Promise.all(found)).to.deep.equal(['k3', 'k2'])
    expect(await one.find(`${company}x`, 'claims')).to.equal(undefined)
  })

  it('destroys keys of days before one, and no others', async () => {
    const store = await opened()
    const purposes = ['answers:2026-11-20', 'answers:2026-11-21', 'answers:2026-11-22', 'claims']
    for (const purpose of purposes) await store.add(company, purpose, purpose)
    await store.destroy('answers:', 'answers:2026-11-21')
    const left = await Promise.all(purposes.map((purpose) => store.find(company, purpose)))
    expect(left).to.deep.equal([undefined, ...purposes.slice(1)])
  })
}
