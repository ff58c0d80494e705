import { expect } from 'chai'
import type { Grant } from '../../src/domain/grant.ts'
import type { TableInfo } from '../../src/domain/warehouse/table-infos.ts'
import { everything } from '../../src/rights/access.ts'
import { grantedTables } from '../../src/rights/granted-tables.ts'

describe('what is granted of a history', () => {
  const column = { type: 'text', description: '', personal: false, current: true } as const
  const history: TableInfo = {
    name: 'wh_Leasing_Contract_history',
    object: 'contract',
    isHistory: true,
    description: '',
    columns: [
      { ...column, name: 'Key' },
      { ...column, name: 'ChangedBy_Name' },
      { ...column, name: 'Reason', tellsOfAll: true },
      { ...column, name: 'Notes', field: 'Notes' },
      { ...column, name: 'Status', field: 'Status' },
    ],
  }
  const columnsOf = (grant: Grant | undefined) =>
    grantedTables([history], { grant: () => grant }).flatMap(({ columns }) => columns.map(({ name }) => name))
  const status = { fields: new Set(['Status']) }

  it('is all of it, with every field', () => {
    expect(grantedTables([history], everything)).to.deep.equal([history])
    expect(columnsOf({ shares: [status, {}] })).to.include('Reason')
  })

  it('has no reason with some fields alone: it may mention the others', () => {
    expect(columnsOf({ shares: [status] })).to.deep.equal(['Key', 'ChangedBy_Name', 'Status'])
  })

  it('has no reason where all fields are granted of some records only', () => {
    const some = { rows: { op: 'constant', value: true } as const }
    expect(columnsOf({ shares: [status, some] })).not.to.include('Reason')
  })

  it('is nothing without a grant', () => expect(columnsOf(undefined)).to.deep.equal([]))
})
