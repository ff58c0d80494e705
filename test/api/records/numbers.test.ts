/** Numbers that the service assigns: `CON-<year>-<sequence>`, rising, never twice (docs/interface.md#contract-record). */
import { expect } from 'chai'
import type { Fields } from '../../../src/domain/json.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import { testService, type TestService, textOf } from '../../support/service.ts'
import { contractBody } from '../../system/support/leasing.ts'

describe('contract numbers', () => {
  let service: TestService
  let now: number

  // By this clock reservations never follow each other so closely that they grow: numbers leave no gaps.
  const clock = (): Clock => {
    let elapsed = 0
    return { now: () => now, elapsed: () => (elapsed += 10_000) }
  }

  beforeEach(async () => {
    now = Date.parse('2026-12-31T23:59:00Z')
    service = await testService({ clock: clock() })
  })
  afterEach(() => service.discard())

  const numberOf = (record: Fields) => textOf(record, 'ContractNumber')
  const create = async () => numberOf(await service.create('contract', contractBody()))
  const createAtOnce = (count: number) => Promise.all(Array.from({ length: count }, create))

  it('begin with 0001 and rise by one', async () => {
    expect([await create(), await create(), await create()]).to.deep.equal([
      'CON-2026-0001',
      'CON-2026-0002',
      'CON-2026-0003',
    ])
  })

  it('begin anew with the year, in UTC', async () => {
    const old = [await create(), await create()]
    now = Date.parse('2027-01-01T00:00:00Z')
    expect([...old, await create(), await create()]).to.deep.equal([
      'CON-2026-0001',
      'CON-2026-0002',
      'CON-2027-0001',
      'CON-2027-0002',
    ])
    now = Date.parse('2026-12-31T23:00:00Z')
    expect(await create(), 'a clock that goes back').to.equal('CON-2026-0003')
  })

  it('are 64 different ones for 64 creates at once', async () => {
    const numbers = await createAtOnce(64)
    const expected = Array.from({ length: 64 }, (_, i) => `CON-2026-${String(i + 1).padStart(4, '0')}`)
    expect([...numbers].sort()).to.deep.equal(expected)
  })

  it('are never used again, neither after a delete nor after a create that failed', async () => {
    const first = await service.create('contract', contractBody())
    await service.delete(`contract/${first.Id}`)
    await service.post('contract', contractBody({ Tenant: `tenant-${'0'.repeat(26)}` }))
    await service.post('contract', {})
    expect([numberOf(first), await create()]).to.deep.equal(['CON-2026-0001', 'CON-2026-0002'])
  })

  it('rise across restarts, and none comes twice', async () => {
    const seen: string[] = []
    for (let round = 0; round < 3; round++) {
      const numbers = await createAtOnce(20)
      for (const number of numbers) expect(number > (seen.at(-1) ?? ''), number).to.equal(true)
      seen.push(...numbers.sort())
      await service.restart()
    }
    expect(new Set(seen)).to.have.property('size', 60)
  })

  it('grow longer past 9999', async () => {
    const Records = Array.from({ length: 500 }, () => contractBody())
    for (let batch = 0; batch < 20; batch++) await service.post('contract/batch', { Records })
    expect(await create()).to.equal('CON-2026-10001')
    const { list } = await service.list('contract', { filter: "ContractNumber eq 'CON-2026-9999'" })
    expect(list).to.have.length(1)
  })

  it('are counted for each object by itself', async () => {
    await create()
    const order = await service.create('workorder', { Title: 'Leaking tap' })
    expect(textOf(order, 'WorkOrderNumber')).to.match(/0001$/)
    expect(await create()).to.equal('CON-2026-0002')
  })
})
