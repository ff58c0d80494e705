import { expect } from 'chai'
import { testService, type TestService } from '../../support/service.ts'

const COUNT = 60

describe('searches for a beginning that many different words have', () => {
  let service: TestService
  let keys: string[]
  before(async () => {
    service = await testService()
    const Records = Array.from({ length: COUNT }, (_, i) => ({
      Name: `Zahl${1_000 + i} ${i % 20 === 7 ? 'Selten' : 'Haus'}`,
      Email: `tenant${i}@example.com`,
    }))
    await service.post('tenant', { Name: 'Someone else' })
    const { list } = await service.post('tenant/batch', { Records })
    keys = list.map(({ Id }) => Id)
    await service.post('tenant', { Name: 'Selten, but no number' })
  })
  after(() => service.discard())

  const found = async (search: string, pageSize = 100) => {
    const { list, json } = await service.get(
      `tenant?search=${encodeURIComponent(search)}&pageSize=${pageSize}`,
    )
    const { TotalRecords } = json['Pagination'] as { TotalRecords: number }
    return { keys: list.map(({ Id }) => Id), total: TotalRecords }
  }
  const newestOf = (...numbers: number[]) => numbers.map((i) => keys[i]!).reverse()

  it('find all of them, the newest first', async () => {
    const all = newestOf(...Array.from({ length: COUNT }, (_, i) => i))
    expect(await found('zahl')).to.deep.equal({ keys: all, total: COUNT })
    expect(await found('zahl', 3)).to.deep.equal({ keys: all.slice(0, 3), total: COUNT })
    expect(await found('zahl tenant', 3)).to.deep.equal({ keys: all.slice(0, 3), total: COUNT })
  })

  it('find, with a rare word beside it, those that have both', async () => {
    expect(await found('zahl selten')).to.deep.equal({ keys: newestOf(7, 27, 47), total: 3 })
    expect(await found('sel zah', 1)).to.deep.equal({ keys: newestOf(47), total: 3 })
    expect(await found('zahl selten nirgends')).to.deep.equal({ keys: [], total: 0 })
  })

  it('find what has changed as it is now', async () => {
    await service.patch(`tenant/${keys[27]}`, { Name: 'Selten' })
    await service.delete(`tenant/${keys[47]}`)
    expect(await found('zahl selten')).to.deep.equal({ keys: newestOf(7), total: 1 })
    expect((await found('zahl', 1)).total).to.equal(COUNT - 2)
  })
})
