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

  it('destroys keys of days before one, and no others', async () => {
    const store = await opened()
    const purposes = ['answers:2026-11-20', 'answers:2026-11-21', 'answers:2026-11-22', 'claims']
    for (const purpose of purposes) await store.add(company, purpose, purpose)
    await store.destroy('answers:', 'answers:2026-11-21')
    const left = await Promise.all(purposes.map((purpose) => store.find(company, purpose)))
    expect(left).to.deep.equal([undefined, ...purposes.slice(1)])
  })
}
