/** Rows that look up what was written a moment before: by an earlier chunk of the same file, or by the import before. */
import { expect } from 'chai'
import { testService, type TestService } from '../support/service.ts'
import { countsIn, CSV, imported, settled, then } from './import-support.ts'

const CHUNK = 500
const STAFF = 2 * CHUNK + 100
const PAYERS = 100

describe('lookups of an import', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  it('find records that an earlier chunk of the same file has made', async () => {
    const rows = Array.from({ length: STAFF }, (_, i) => {
      const manager = i < CHUNK ? '' : `Person ${i - CHUNK}`
      return `E-${i},Person ${i},${manager}\n`
    })
    const file = `EmployeeNumber,Name,Manager\n${rows.join('')}`
    const whole = await imported(service, 'employee/import?commit=true', file)
    expect(countsIn(whole)).to.include({ Created: STAFF, Failed: 0 })
  })

  it('find rows further down, however long the chain; circles and what is nowhere stay refused', async () => {
    const last = CHUNK + 50
    // Each has the next as manager, which is against the order of the file; two have each other.
    const rows = Array.from(
      { length: 10 },
      (_, i) => `C-${i},Chain ${i},${i < 9 ? `Chain ${i + 1}` : 'Boss'}`,
    )
    const filler = Array.from({ length: last }, (_, i) => `F-${i},Filler ${i},`)
    const file = [
      'EmployeeNumber,Name,Manager',
      ...rows,
      'R-1,Round 1,Round 2',
      'R-2,Round 2,Round 1',
      'N-1,Without,Nemo',
      ...filler,
      'B-1,Boss,',
    ].join('\n')
    const checked = await imported(service, 'employee/import', file)
    const count = 10 + last + 1
    expect(checked['Check'], JSON.stringify(checked)).to.include({ WouldCreate: count, WouldFail: 3 })
    const whole = await then(service, checked, 'commit', { MaxErrors: 3 })
    expect(countsIn(whole)).to.include({ Rows: count + 3, Done: count + 3, Created: count, Failed: 3 })
    const { list } = await service.get(`imports/${whole.Id}/rows?outcome=failed`)
    expect(list.map(({ Row }) => Row)).to.deep.equal([12, 13, 14])
    const { list: found } = await service.list('employee', { filter: "Name eq 'Chain 9'" })
    expect((found[0]!['Manager'] as { DisplayName?: string; Name?: string }) ?? null).to.not.equal(null)
    // What is undone takes those that look others up first.
    const undo = (await service.post(`imports/${whole.Id}/undo`, { Commit: true })).data
    expect(countsIn(await settled(service, undo.Id))).to.include({ Undone: count, Kept: 0 })
  })

  it('find records that the import before has made', async () => {
    const names = Array.from({ length: PAYERS }, (_, i) => `Payer ${i}`)
    const first = await service.post('tenant/import?commit=true', `Name\n${names.join('\n')}\n`, CSV)
    const contracts = names.map((name) => `${name},2031-01-01,100,EUR\n`)
    const columns = 'Tenant,StartDate,MonthlyRent.Amount,MonthlyRent.Currency\n'
    const second = await service.post('contract/import?commit=true', columns + contracts.join(''), CSV)
    await settled(service, first.data.Id)
    const whole = await settled(service, second.data.Id)
    expect(countsIn(whole), JSON.stringify(whole)).to.include({ Created: PAYERS, Failed: 0 })
    expect(whole['Check']).to.include({ WouldCreate: PAYERS, WouldFail: 0 })
  })
})
