/** The choices of the page that maps columns: from a mapping and back, and what names suggest. */
import { expect } from 'chai'

import type { Field, ObjectSeen } from '../../console/src/api/object-seen.ts'
import {
  choicesOf,
  IGNORED,
  keyFieldsOf,
  likenessOf,
  mappingOf,
  missingIn,
  suggestionsFor,
} from '../../console/src/imports/mapping.ts'
import type { Mapping } from '../../src/imports/mapping/mapping.ts'

const field = (Name: string, Type: Field['Type'], more: Partial<Field> = {}) =>
  ({ Name, Type, ReadOnly: false, Required: false, Unique: false, Default: null, ...more }) as Field
const contract = {
  Object: 'contract',
  Fields: [
    field('ContractNumber', 'text', { ReadOnly: true }),
    field('ExternalId', 'text', { Unique: true }),
    field('Tenant', 'lookup'),
    field('MonthlyRent', 'money', { Required: true }),
    field('StartDate', 'date', { Required: true }),
    field('EndDate', 'date'),
  ],
} as unknown as ObjectSeen

const mapping: Mapping = {
  Mode: 'upsert',
  KeyField: 'ExternalId',
  Formats: { Null: ['-'] },
  Fields: {
    ExternalId: { Column: 'Nr', Do: ['trim'] },
    Tenant: { Column: 'Who', LookupBy: 'Name' },
    MonthlyRent: { Amount: { Column: 'Rent', Do: ['trim'] }, Currency: { Constant: 'EUR' }, Decimal: ',' },
    StartDate: { Column: 'From', Format: 'DD-MM-YYYY' },
  },
  IgnoreColumns: ['Note'],
  Notify: 'summary',
  UnknownColumns: 'error',
  MissingColumns: 'error',
  DuplicatesInFile: 'inOrder',
  AllowPastDates: true,
  EmptyCell: 'clear',
}
const columns = ['Nr', 'Who', 'Rent', 'From', 'Note']

describe('the mapping page of an import', () => {
  it('keeps a mapping that nobody changes', () =>
    expect(mappingOf(choicesOf(mapping, columns), mapping, columns)).to.deep.equal(mapping))

  it('puts another column into a field, and keeps what it does not show', () => {
    const choices = choicesOf(mapping, columns)
    const targets = { ...choices.targets, Nr: IGNORED, Note: 'ExternalId' }
    const changed = mappingOf({ ...choices, targets }, mapping, columns)
    expect(changed.Fields['ExternalId']).to.deep.equal({ Column: 'Note', Do: ['trim'] })
    expect(changed.IgnoreColumns).to.deep.equal(['Nr'])
    expect(changed).to.include({ EmptyCell: 'clear', DuplicatesInFile: 'inOrder' })
  })

  it('takes the currency of a column in place of the one for all rows', () => {
    const choices = choicesOf(mapping, columns)
    const targets = { ...choices.targets, Note: 'MonthlyRent.Currency' }
    const { Fields } = mappingOf({ ...choices, targets }, mapping, columns)
    expect(Fields['MonthlyRent']!.Currency).to.deep.equal({ Column: 'Note' })
    expect(Fields['MonthlyRent']!.Amount).to.deep.equal({ Column: 'Rent', Do: ['trim'] })
  })

  it('suggests fields by the names of columns, each once, and none that is taken', () => {
    const targets = { Beginning: 'EndDate' }
    const names = ['start_date', 'Startdate 2', 'monthly rent', 'Tenants', 'Beginning', 'Colour']
    expect(suggestionsFor(names, contract, { targets, mode: 'create' })).to.deep.equal({
      start_date: 'StartDate',
      'monthly rent': 'MonthlyRent.Amount',
      Tenants: 'Tenant',
    })
    expect(likenessOf('Start-Date', 'startDate')).to.equal(1)
    expect(likenessOf('', 'a')).to.equal(0)
  })

  it('names what every record needs, and what rows can be recognized by', () => {
    const choices = choicesOf({ ...mapping, Fields: { ExternalId: { Column: 'Nr' } } }, columns)
    expect(missingIn(contract, choices, null).map(({ Name }) => Name)).to.deep.equal([
      'MonthlyRent',
      'StartDate',
    ])
    expect(missingIn(contract, { ...choices, mode: 'update' }, null)).to.deep.equal([])
    expect(keyFieldsOf(contract, choices)).to.deep.equal(['ExternalId'])
  })
})
