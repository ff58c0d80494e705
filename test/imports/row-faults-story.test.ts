/** What is said of rows that are refused: everything that is wrong with each, and which row of the file has its value already. */
import { expect } from 'chai'
import { testService, type Data, type TestService } from '../support/service.ts'
import { checkIn, countsIn, imported, then } from './import-support.ts'

describe('a refused row', function () {
  this.timeout(60_000)
  let service: TestService
  before(async () => {
    service = await testService()
    await service.create('employee', { EmployeeNumber: 'OLD-1', Name: 'Boss' })
  })
  after(() => service.discard())

  const said = async (whole: Data): Promise<Record<number, readonly string[]>> => {
    const { list } = await service.get(`imports/${whole.Id}/rows?outcome=failed`)
    const textOf = ({ Field, Message }: Data) => `${Field as string}: ${Message as string}`
    const rows = list.map(({ Row, Errors }) => [Row as number, (Errors as Data[]).map(textOf)] as const)
    return Object.fromEntries(rows)
  }
  /** What is said when the file is checked, and again when it is committed. */
  const bySteps = async (path: string, file: string) => {
    const checked = await imported(service, path, file)
    const before = await said(checked)
    const done = await then(service, checked, 'commit')
    expect(countsIn(done)['Failed'], JSON.stringify(done)).to.equal(checkIn(checked)['WouldFail'])
    expect(await said(done)).to.deep.equal(before)
    return before
  }

  it('is described by all of its faults: of cells, of fields, and of values that others have', async () => {
    const file =
      'EmployeeNumber,Name,Email,HiredOn,LeftOn,Status\n' +
      'E-1,,no address,2029-02-30,,Asleep\n' +
      'OLD-1,Ann,no address,soon,,Active\n' +
      'OLD-1,Bob,,2029-02-13,2029-01-01,Active\n' +
      'E-2,Cem,,2029-02-13,,Active\n'
    const faults = await bySteps('employee/import', file)
    expect(Object.keys(faults)).to.deep.equal(['2', '3', '4'])
    expect(faults[2]!.map((one) => one.split(' ').slice(0, 3).join(' '))).to.have.members([
      'HiredOn: must be',
      'Name: is required',
      'Email: must be',
      'Status: must be',
    ])
    expect(faults[3]).to.have.length(3)
    expect(faults[3]!.join('\n'))
      .to.match(/^HiredOn: /m)
      .and.match(/^Email: /m)
    expect(faults[3]).to.include('EmployeeNumber: another employee has this value')
    expect(faults[4]).to.deep.equal([
      'LeftOn: must not be before HiredOn',
      'EmployeeNumber: another employee has this value',
    ])
  })

  it('names the row of the file that has the same unique value', async () => {
    const file =
      'Name,ExternalId,Email\n' +
      'Ann,D-1,\n' +
      'Bob,D-1,\n' +
      'Cem,D-1,no address\n' +
      'Dora,D-2,no address\n' +
      'Eve,D-2,\n'
    const twin = (row: number) =>
      `ExternalId: another tenant has this value; it is also in row ${row} of this file`
    expect(await bySteps('tenant/import', file)).to.deep.equal({
      3: [twin(2)],
      4: ['Email: must be an e-mail address', twin(2)],
      5: ['Email: must be an e-mail address', twin(6)],
    })
    const later = await imported(service, 'tenant/import', 'Name,ExternalId\nFay,D-1\nGus,D-1\n')
    const other = ['ExternalId: another tenant has this value']
    expect(await said(later)).to.deep.equal({ 2: other, 3: other })
  })

  it('names the row of the file that has the key already', async () => {
    const file = 'Name,ExternalId\nAnn,K-1\nBob,K-2\nCem,K-1\nDora,K-1\n'
    const twin = ['ExternalId: is in row 2 of this file already']
    expect(await bySteps('tenant/import?mode=upsert', file)).to.deep.equal({ 4: twin, 5: twin })
  })

  it('of an update is judged by the record that it changes', async () => {
    await service.create('employee', { EmployeeNumber: 'U-1', Name: 'Una', HiredOn: '2029-02-13' })
    const file =
      'EmployeeNumber,Email,LeftOn,Status\nU-1,no address,2029-01-01,Asleep\nU-2,no address,soon,\n'
    const faults = await bySteps('employee/import?mode=update', file)
    expect(faults[2]!.map((one) => one.split(':')[0])).to.have.members(['Email', 'LeftOn', 'Status'])
    expect(faults[3]!.map((one) => one.split(':')[0])).to.have.members(['LeftOn', ''])
  })
})
