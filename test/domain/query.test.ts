import { expect } from 'chai'
import fc from 'fast-check'
import { Invalid } from '../../src/domain/errors.ts'
import { parseExpand, parseFields } from '../../src/domain/query/fields.ts'
import { parsePage } from '../../src/domain/query/page.ts'
import { parseSort } from '../../src/domain/query/sort.ts'
import { sampleDefinition, sampleDefinitions } from '../support/sample-definitions.ts'

const contract = sampleDefinition('contract')

/** The faults with which something is refused, as `parameter: message`. */
function refusal(parse: () => unknown): string[] {
  try {
    parse()
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    return error.faults.map(({ Field, Message }) => `${Field}: ${Message}`)
  }
  throw new Error('not refused')
}

describe('sort', () => {
  const sort = (text: string) => parseSort(text, contract, sampleDefinitions)
  const refused = (text: string) => refusal(() => sort(text))

  it('takes fields in turn, descending after a minus', () =>
    expect(
      sort('Status, -StartDate').map(({ path, descending }) => [path.text, path.kind, descending]),
    ).to.deep.equal([
      ['Status', 'exact', false],
      ['StartDate', 'exact', true],
    ]))

  it('takes standard fields, paths and parts of money', () => {
    expect(
      sort('-CreatedAt,Unit/Building/Name,MonthlyRent/Currency,Id').map(({ path }) => path.field.name),
    ).to.deep.equal(['CreatedAt', 'Name', 'MonthlyRent', 'Id'])
    expect(sort('MonthlyRent')[0]!.path).to.include({ part: 'Amount', kind: 'number' })
  })

  it('sorts a lookup by what is shown of it, and by Key when told so', () => {
    const [shown] = sort('Unit/Building')
    expect(shown!.path.hops.map(({ lookup }) => lookup.name)).to.deep.equal(['Unit', 'Building'])
    expect([shown!.path.field.name, shown!.path.kind]).to.deep.equal(['Name', 'text'])
    const [byKey] = sort('Unit/Id')
    expect([byKey!.path.hops.length, byKey!.path.field.name, byKey!.path.kind]).to.deep.equal([
      0,
      'Unit',
      'exact',
    ])
  })

  it('refuses what has no order or is not there, saying where', () => {
    expect(refused('-Terms')).to.deep.equal(['sort: json field Terms at 2; json fields have no order'])
    expect(refused('Status,Terms')).to.deep.equal(['sort: json field Terms at 8; json fields have no order'])
    expect(refused('Status, -Sttus')).to.deep.equal(['sort: unknown field Sttus at 10; did you mean Status?'])
    expect(refused('Tenant/Nme')).to.deep.equal([
      'sort: unknown field Nme of tenant at 8; did you mean Name?',
    ])
    expect(refused('--Status')).to.deep.equal(['sort: unknown field -Status at 2; did you mean Status?'])
  })

  it('refuses one path twice, however it is spelt', () => {
    expect(refused('Status,-Status')).to.deep.equal(['sort: Status is given twice at 8'])
    expect(refused('MonthlyRent,MonthlyRent/Amount')).to.have.length(1)
    expect(refused('Tenant/Name,-Tenant')).to.have.length(1)
    expect(sort('Tenant,Tenant/Id,Unit/Building/Name,Building/Name')).to.have.length(4)
  })

  it('takes five keys and no more', () => {
    const keys = ['Status', 'StartDate', 'EndDate', 'Duration', 'LeaseType', 'AutoRenews']
    expect(sort(keys.slice(0, 5).join())).to.have.length(5)
    expect(refused(keys.join())).to.deep.equal(['sort: more than 5 fields at 45'])
  })

  it('helps those who write it as OData or SQL do', () =>
    expect(refused('Status,EndDate desc')).to.deep.equal([
      'sort: expected a comma, found desc at 16; write -EndDate',
    ]))

  it('refuses to be empty', () => {
    expect(refused('')).to.deep.equal(['sort: expected a field name at 1'])
    expect(refused('Status,')).to.deep.equal(['sort: expected a field name at 8'])
    expect(refused('-')).to.deep.equal(['sort: expected a field name at 2'])
  })
})

describe('fields', () => {
  it('are given in the order of the record, each once, always with Id', () => {
    expect(parseFields('ModifiedAt,Status, Tenant,Status', contract)).to.deep.equal([
      'Id',
      'Tenant',
      'Status',
      'ModifiedAt',
    ])
    expect(parseFields('Id', contract)).to.deep.equal(['Id'])
  })

  it('refuse names that are no fields', () => {
    expect(refusal(() => parseFields('Status,tenant', contract))).to.deep.equal([
      'fields: unknown field tenant at 8; did you mean Tenant?',
    ])
    expect(refusal(() => parseFields('Tenant/Name', contract))).to.deep.equal([
      'fields: Tenant/Name is a path, not a field at 1; write Tenant',
    ])
    expect(refusal(() => parseFields('', contract))).to.deep.equal(['fields: expected a field name at 1'])
  })
})

describe('expand', () => {
  it('names lookup fields, each once', () =>
    expect(parseExpand('Unit, Tenant,Unit', contract)).to.deep.equal(['Unit', 'Tenant']))

  it('refuses everything else, saying what could be expanded', () => {
    expect(refusal(() => parseExpand('Unit,Status', contract))).to.deep.equal([
      'expand: Status is not a lookup field at 6; expand takes Tenant, Building, Unit',
    ])
    expect(refusal(() => parseExpand('tenants', contract))).to.deep.equal([
      'expand: unknown lookup field tenants at 1; did you mean Tenant?',
    ])
    expect(refusal(() => parseExpand('Name', sampleDefinition('building')))).to.deep.equal([
      'expand: Name is not a lookup field at 1; building has none',
    ])
    expect(refusal(() => parseExpand('', contract))).to.deep.equal(['expand: expected a field name at 1'])
  })
})

describe('page and pageSize', () => {
  it('are the first page of 25 when nothing is said', () =>
    expect(parsePage(undefined, undefined)).to.deep.equal({ page: 1, pageSize: 25 }))

  it('are decimal digits, and more than 100 records become 100', () => {
    expect(parsePage('3', '10')).to.deep.equal({ page: 3, pageSize: 10 })
    expect(parsePage('1', '100')).to.deep.equal({ page: 1, pageSize: 100 })
    expect(parsePage('1', '101')).to.deep.equal({ page: 1, pageSize: 100 })
    expect(parsePage('1', '9'.repeat(400))).to.deep.equal({ page: 1, pageSize: 100 })
  })

  it('are refused as anything else, each by its name', () => {
    for (const text of ['0', '-1', '', ' 1', '1.0', '1e1', '0x10', 'one', '٣', '+1'])
      expect(
        refusal(() => parsePage(text, text)),
        text,
      ).to.deep.equal([
        'page: must be an integer of at least 1',
        'pageSize: must be an integer from 1 to 100',
      ])
  })

  it('never reach a record without an exact number', () => {
    expect(parsePage(String((2 ** 53 - 16) / 16), '16').page).to.equal((2 ** 53 - 16) / 16)
    expect(refusal(() => parsePage(String(2 ** 53 / 16), '16'))).to.deep.equal(['page: is too large'])
    expect(refusal(() => parsePage('9'.repeat(400), '1'))).to.deep.equal(['page: is too large'])
    fc.assert(
      fc.property(fc.nat(Number.MAX_SAFE_INTEGER), fc.nat(1000), (page, pageSize) => {
        try {
          const read = parsePage(String(page), String(pageSize))
          expect(Number.isSafeInteger(read.page * read.pageSize)).to.equal(true)
          expect(read).to.deep.equal({ page, pageSize: Math.min(pageSize, 100) })
        } catch (error) {
          if (!(error instanceof Invalid)) throw error
          expect(page === 0 || pageSize === 0 || page * Math.min(pageSize, 100) >= 2 ** 53).to.equal(true)
        }
      }),
    )
  })
})
