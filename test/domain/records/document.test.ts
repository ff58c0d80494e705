import { expect } from 'chai'
import fc from 'fast-check'
import type { ObjectDefinition } from '../../../src/domain/definition.ts'
import {
  documentOrder,
  expandLookups,
  fieldsOfDocument,
  recordDocument,
} from '../../../src/domain/records/document.ts'
import type { Fields, Json } from '../../../src/domain/json.ts'
import { sampleDefinition, sampleDefinitions } from '../../support/sample-definitions.ts'

const contract = sampleDefinition('contract')
const names: Readonly<Record<string, string>> = { 'tenant-1': 'Zoë', 'unit-1': '4B' }

const documentOf = (fields: Fields, definition: ObjectDefinition = contract): Fields =>
  recordDocument({
    definition,
    definitions: sampleDefinitions,
    key: 'contract-1',
    fields,
    createdAt: '2026-03-01T09:30:15.987Z',
    modifiedAt: '2026-03-02T09:30:15.001Z',
    displayOf: (_object, key) => names[key] ?? null,
  })

describe('the document of a record', () => {
  it('has Id first, the fields in their order, json fields after them, then the two times to the second', () => {
    expect(Object.keys(documentOf({}))).to.deep.equal([
      'Id',
      'ContractNumber',
      'Tenant',
      'Building',
      'Unit',
      'MonthlyRent',
      'StartDate',
      'EndDate',
      'Duration',
      'LeaseType',
      'Status',
      'Notes',
      'AutoRenews',
      'SignedAt',
      'Terms',
      'CreatedAt',
      'ModifiedAt',
    ])
    const early: ObjectDefinition = {
      ...contract,
      fields: [{ name: 'Terms', type: 'json' }, ...contract.fields.filter(({ name }) => name !== 'Terms')],
    }
    expect(documentOrder(early).at(-1)?.name).to.equal('Terms')
    expect(documentOf({})).to.include({
      Id: 'contract-1',
      CreatedAt: '2026-03-01T09:30:15Z',
      ModifiedAt: '2026-03-02T09:30:15Z',
    })
  })

  it('shows a field without a value as null, and only such a field', () => {
    const fields = { Notes: '', AutoRenews: false, Duration: 0, Terms: [] }
    const { Id, CreatedAt, ModifiedAt, ...rest } = documentOf(fields)
    expect([Id, CreatedAt, ModifiedAt]).to.not.include(null)
    for (const [name, value] of Object.entries(rest))
      expect(value, name).to.deep.equal(fields[name as keyof typeof fields] ?? null)
  })

  it('shows lookups with Id and the display field of what they point to', () => {
    const document = documentOf({ Tenant: 'tenant-1', Unit: 'unit-1', Building: 'building-1' })
    expect(document['Tenant']).to.deep.equal({ Id: 'tenant-1', Name: 'Zoë' })
    expect(document['Unit']).to.deep.equal({ Id: 'unit-1', Number: '4B' })
    expect(document['Building']).to.deep.equal({ Id: 'building-1', Name: null })
  })

  it('shows itself, where it looks itself up, by the display field that it has now', () => {
    const tenant = sampleDefinition('tenant')
    const itself = (fields: Fields) => documentOf({ ...fields, Guarantor: 'contract-1' }, tenant)['Guarantor']
    expect(itself({ Name: 'Ann' })).to.deep.equal({ Id: 'contract-1', Name: 'Ann' })
    expect(itself({})).to.deep.equal({ Id: 'contract-1', Name: null })
  })

  it('gives back the fields that it was made of', () => {
    const anyFields = fc.record(
      {
        Tenant: fc.constantFrom('tenant-1', 'tenant-2'),
        Building: fc.constant('building-1'),
        MonthlyRent: fc.record({ Amount: fc.integer(), Currency: fc.constant('EUR') }),
        Duration: fc.integer(),
        Notes: fc.string(),
        AutoRenews: fc.boolean(),
        Terms: fc.oneof(
          fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
          fc.array(fc.integer()),
        ),
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    fc.assert(
      fc.property(anyFields, (fields) => {
        const document = JSON.parse(JSON.stringify(documentOf(fields))) as Fields
        expect(fieldsOfDocument(contract, document)).to.deep.equal(fields)
      }),
    )
  })
})

describe('lookups that are expanded in the text of a record', () => {
  // What could be taken for the beginning or the end of a lookup, and is none.
  const hostileText = fc
    .array(
      fc.constantFrom(
        '"Tenant":{"Id":',
        'Tenant',
        'Building',
        '"',
        '\\',
        '\\"',
        '{',
        '}',
        ':',
        ',',
        '"},',
        '"Tenant":null',
        '$&',
        '\n',
        'é😀',
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.join(''))
  const lookup = (display: string) =>
    fc.record({ Id: fc.constantFrom('tenant-1', 'tenant-2'), [display]: fc.option(hostileText) }).map(plain)
  /** Any JSON, with members that look like lookups. */
  const hostileJson: fc.Arbitrary<Json> = fc
    .oneof(
      hostileText,
      fc.constant(null),
      fc.record({
        Tenant: fc.oneof(
          lookup('Name'),
          fc.record({ Id: hostileText, Deep: fc.record({ Building: lookup('Name') }) }),
        ),
        Building: fc.array(fc.record({ Tenant: lookup('Name') }), { maxLength: 2 }),
      }),
    )
    .map((value) => JSON.parse(JSON.stringify(value)) as Json)
  const LOOKUPS = ['Tenant', 'Building', 'Unit'] as const
  /** A record as read models keep it: texts, lookups and money in any order, json fields last. */
  const anyRecord = fc
    .tuple(
      fc.shuffledSubarray([...LOOKUPS, 'Notes', 'Name', 'MonthlyRent']),
      fc.record({
        Tenant: fc.option(lookup('Name')),
        Building: fc.option(lookup('Name')),
        Unit: fc.option(lookup('Number')),
        Notes: hostileText,
        Name: hostileText,
        MonthlyRent: fc.constant({ Amount: 1, Currency: 'EUR' }),
        Terms: hostileJson,
      }),
    )
    .map(([order, values]): Fields => {
      const chosen = [...order, 'Terms'] as readonly (keyof typeof values)[]
      return plain({ Id: 'contract-1', ...Object.fromEntries(chosen.map((name) => [name, values[name]])) })
    })

  it('are those of the record itself, whatever its texts, its json and the records put in hold', () =>
    fc.assert(
      fc.property(
        anyRecord,
        fc.array(anyRecord, { minLength: 3, maxLength: 3 }),
        fc.shuffledSubarray([...LOOKUPS]),
        (record, looked, asked) => {
          const full = asked
            .map((name, index) => [name, looked[index]!] as const)
            .filter(([name]) => (record[name] ?? null) !== null)
          const texts = Object.fromEntries(full.map(([name, value]) => [name, JSON.stringify(value)]))
          const expected = JSON.stringify({ ...record, ...Object.fromEntries(full) })
          expect(expandLookups(JSON.stringify(record), texts)).to.equal(expected)
        },
      ),
      { numRuns: 1_000 },
    ))

  it('are found behind an expanded record that has a lookup of the same name', () => {
    const invoice = { Id: 'document-1', Contract: { Id: 'contract-1', ContractNumber: 'CON-2027-0001' } }
    const record = { ...invoice, Tenant: { Id: 'tenant-1', Name: 'Zoë' } }
    const full = {
      Contract: '{"Id":"contract-1","Tenant":{"Id":"tenant-2","Name":"Ann"}}',
      Tenant: '{"Id":"tenant-1","Name":"Zoë","Email":"zoe@example.com"}',
    }
    expect(JSON.parse(expandLookups(JSON.stringify(record), full))).to.deep.equal({
      Id: 'document-1',
      Contract: { Id: 'contract-1', Tenant: { Id: 'tenant-2', Name: 'Ann' } },
      Tenant: { Id: 'tenant-1', Name: 'Zoë', Email: 'zoe@example.com' },
    })
  })

  it('leave the text as it is when there is nothing to expand', () => {
    const text = '{"Id":"contract-1","Tenant":null,"Notes":"\\"Tenant\\":{\\"Id\\":"}'
    expect(expandLookups(text, {})).to.equal(text)
    expect(expandLookups(text, { Tenant: '{"Id":"tenant-1"}' })).to.equal(text)
  })
})

function plain(value: object): Fields {
  return JSON.parse(JSON.stringify(value)) as Fields
}
