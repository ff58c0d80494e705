/** Rows that look up what was written a moment before: by an earlier chunk of the same file, or by the import before. */
import { expect } from 'chai'
import { testService, type TestService } from '../support/service.ts'
import { countsIn, CSV, imported, settled } from './import-support.ts'

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
