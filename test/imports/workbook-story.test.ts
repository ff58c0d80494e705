/** Workbooks in and out: imported as they are, and back as rows to correct. */
import { expect } from 'chai'
import type { SourceCell } from '../../src/imports/formats/reader.ts'
import { readXlsx } from '../../src/imports/formats/xlsx/xlsx.ts'
import { writtenXlsx } from '../../src/imports/formats/xlsx/writer.ts'
import { testService, TOKEN, type TestService } from '../support/service.ts'
import { countsIn, imported } from './import-support.ts'

const XLSX = { 'Content-Type': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet' }

async function workbook(columns: readonly string[], rows: readonly (readonly SourceCell[])[]) {
  const sheet = { name: 'Sheet', columns: columns.map((name) => ({ name, text: true })), rows }
  const chunks: Uint8Array[] = []
  for await (const chunk of writtenXlsx(sheet)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function rowsIn(bytes: Uint8Array, folder: string) {
  const source = {
    bytes: (async function* () {
      yield bytes
    })(),
    folder,
  }
  let columns: readonly string[] = []
  const rows: (readonly SourceCell[])[] = []
  for await (const item of readXlsx(source)) {
    if (item.is === 'columns') columns = item.columns
    if (item.is === 'row') rows.push(item.row.cells)
  }
  return { columns, rows }
}

describe('an import of a workbook', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
  })
  after(() => service.discard())

  const download = async (path: string) => {
    const headers = { Authorization: `Bearer ${TOKEN}` }
    const response = await fetch(`${service.url}/api/v1/${path}`, { headers })
    expect(response.status).to.equal(200)
    return new Uint8Array(await response.arrayBuffer())
  }

  it('keeps zeros and days, and gives back the rows that were refused, once', async () => {
    const day = { kind: 'date', text: '2031-04-03' } as const
    const sum = { kind: 'number', text: '1200.5' } as const
    const columns = ['ExternalId', 'Name', 'Email']
    const file = await workbook(columns, [
      ['00123', 'Ann', 'ann@example.org'],
      ['00124', '=1+1', 'not an address'],
    ])
    const whole = await imported(service, 'tenant/import?commit=true', file, XLSX)
    expect(whole['State'], JSON.stringify(whole)).to.equal('CompletedWithErrors')
    expect(countsIn(whole)).to.include({ Created: 1, Failed: 1 })
    const [ann] = (await service.list('tenant', { filter: "ExternalId eq '00123'" })).list
    expect(ann!['Name']).to.equal('Ann')

    const errors = await rowsIn(await download(`imports/${whole.Id}/errors.xlsx`), service.dataDir)
    expect(errors.columns).to.deep.equal([...columns, 'Daybook-Row', 'Daybook-Error'])
    expect(errors.rows).to.have.length(1)
    const corrected = errors.rows.map((cells) =>
      cells.map((cell) => (cell === 'not an address' ? 'two@example.org' : cell)),
    )
    for (const created of [1, 0]) {
      const again = await imported(
        service,
        `tenant/import?commit=true&again=${created === 0}`,
        await workbook(errors.columns, corrected),
        XLSX,
      )
      expect(countsIn(again)).to.include({ Created: created, Skipped: 1 - created })
    }
    const [two] = (await service.list('tenant', { filter: "ExternalId eq '00124'" })).list
    expect(two!['Name']).to.equal('=1+1')

    const contracts = await workbook(
      ['MonthlyRent', 'StartDate', 'Duration'],
      [[sum, day, { kind: 'number', text: '12' }]],
    )
    const body = new FormData()
    const Fields = {
      MonthlyRent: { Amount: { Column: 'MonthlyRent' }, Currency: { Constant: 'EUR' } },
      StartDate: { Column: 'StartDate' },
      Duration: { Column: 'Duration' },
    }
    body.set('options', JSON.stringify({ Mapping: { Fields }, Commit: true }))
    body.set('file', new Blob([new Uint8Array(contracts)]), 'contracts.xlsx')
    const sent = new Response(body)
    const form = await imported(service, 'contract/import', new Uint8Array(await sent.arrayBuffer()), {
      'Content-Type': sent.headers.get('content-type')!,
    })
    expect(countsIn(form), JSON.stringify(form)).to.include({ Created: 1 })
    const [contract] = (await service.list('contract', {})).list
    expect(contract).to.deep.include({
      MonthlyRent: { Amount: 1200.5, Currency: 'EUR' },
      StartDate: '2031-04-03',
      Duration: 12,
    })
  })
})
