/** A write is visible to the next read: in get, list, total, filter and search (docs/open-facts.md 42). */
import { expect } from 'chai'
import { testService, type TestService } from '../support/service.ts'
import { contractBody } from './support/leasing.ts'

describe('what was written', () => {
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  it('is in the next get, list, filter and search, 200 times', async () => {
    for (let i = 1; i <= 200; i++) {
      const word = `word${i}x`
      const { Id } = await service.create('contract', contractBody({ Notes: word }))
      const [got, listed, filtered, found] = await Promise.all([
        service.get(`contract/${Id}`),
        service.list('contract', { pageSize: '1' }),
        service.list('contract', { filter: `Id eq '${Id}'` }),
        service.list('contract', { search: word }),
      ])
      expect(got.data['Id']).to.equal(Id)
      expect([listed.list[0]?.['Id'], listed.pagination.TotalRecords]).to.deep.equal([Id, i])
      expect(filtered.list.map((one) => one['Id'])).to.deep.equal([Id])
      expect(found.list.map((one) => one['Id'])).to.deep.equal([Id])
    }
  })

  it('is so too for changes, deletes and restores, while others write', async () => {
    const writer = async (name: string) => {
      for (let i = 0; i < 15; i++) {
        const { Id } = await service.create('tenant', { Name: `${name} ${i}` })
        const path = `tenant/${Id}`
        const total = async (search: string) =>
          (await service.list('tenant', { search })).pagination.TotalRecords
        await service.patch(path, { Name: `changed${name}${i}x` })
        expect(await total(`changed${name}${i}x`), 'changed').to.equal(1)
        await service.delete(path)
        expect(
          [(await service.get(path)).status, await total(`changed${name}${i}x`)],
          'deleted',
        ).to.deep.equal([404, 0])
        await service.post(`${path}/restore`)
        expect(
          [(await service.get(path)).status, await total(`changed${name}${i}x`)],
          'restored',
        ).to.deep.equal([200, 1])
      }
    }
    await Promise.all(['anna', 'bert', 'cara', 'dirk'].map(writer))
  })
})
