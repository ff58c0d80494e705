/** Files to fill in: what is in them is what an import takes. */
import { expect } from 'chai'
import { readXlsx } from '../../src/imports/formats/xlsx/xlsx.ts'
import { testService, TOKEN, type TestService } from '../support/service.ts'
import { countsIn, imported } from './import-support.ts'

describe('templates of imports', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  it('have a column for each field, and are imported as they are filled in', async () => {
    const csv = await service.get('tenant/import/template.csv')
    expect(csv.status, csv.text).to.equal(200)
    expect(csv.headers.get('content-disposition')).to.include('tenant-template.csv')
    const columns = csv.text.replace('\ufeff', '').trim().split(',')
    expect(columns).to.include.members(['Name', 'ExternalId', 'Email'])
    expect(columns).to.not.include.members(['Id', 'CreatedAt'])
    const values = columns.map((column) => (column === 'Name' ? 'Ann' : ''))
    const whole = await imported(
      service,
      'tenant/import?commit=true',
      `${csv.text.trim()}\n${values.join(',')}\n`,
    )
    expect(countsIn(whole), JSON.stringify(whole)).to.include({ Created: 1, Failed: 0 })
    const contract = (await service.get('contract/import/template.csv')).text
    expect(contract).to.include('MonthlyRent.Amount,MonthlyRent.Currency')
    expect(contract).to.not.include('ContractNumber')
  })

  it('are workbooks with choices, and a sheet that says what each column takes', async () => {
    const headers = { Authorization: `Bearer ${TOKEN}` }
    const response = await fetch(`${service.url}/api/v1/account/import/template.xlsx`, { headers })
    expect(response.status).to.equal(200)
    const file = new Uint8Array(await response.arrayBuffer())
    const read = async (options: { sheet?: string }) => {
      const source = {
        bytes: (async function* () {
          yield file
        })(),
        folder: service.dataDir,
      }
      let columns: readonly string[] = []
      const rows: string[] = []
      for await (const item of readXlsx(source, options)) {
        if (item.is === 'columns') columns = item.columns
        if (item.is === 'row')
          rows.push(item.row.cells.map((cell) => (typeof cell === 'string' ? cell : '')).join('|'))
      }
      return { columns, rows }
    }
    const first = await read({})
    expect(first.columns.slice(0, 3)).to.deep.equal(['Code', 'Name', 'AccountType'])
    expect(first.rows).to.deep.equal([])
    const help = await read({ sheet: 'Help' })
    expect(help.columns).to.deep.equal(['Column', 'Type', 'Required', 'Takes', 'Meaning'])
    const of = (name: string) => help.rows.find((row) => row.startsWith(`${name}|`))
    expect(of('AccountType')).to.include('choice|yes|one of Asset, Liability, Equity, Revenue, Expense')
    expect(of('ParentAccount')).to.include('lookup||the Key or the name of a record (account)')
  })
})
