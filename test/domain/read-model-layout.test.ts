/** What read models are built by, and what may change while they are served. */
import { expect } from 'chai'
import type { FieldDefinition, ObjectDefinition } from '../../src/domain/definition.ts'
import { readModelLayouts } from '../../src/domain/read-model-layout.ts'
import { sampleDefinition, sampleDefinitions as definitions } from '../support/sample-definitions.ts'

describe('the layout of read models', () => {
  const changedBy = (object: string, change: Partial<ObjectDefinition>): string[] => {
    const before = readModelLayouts(definitions)
    const after = readModelLayouts(
      new Map([...definitions, [object, { ...sampleDefinition(object), ...change }]]),
    )
    return [...before.keys()].filter((one) => before.get(one) !== after.get(one))
  }
  const fieldsOf = (object: string, change: (field: FieldDefinition) => FieldDefinition) => ({
    fields: sampleDefinition(object).fields.map(change),
  })

  it('does not change with words and checks', () => {
    expect(changedBy('tenant', { description: 'other', name: 'Renter', events: [] })).to.deep.equal([])
    const fields = fieldsOf('tenant', (field) => ({
      ...field,
      description: 'other',
      required: true,
      personal: true,
    }))
    expect(changedBy('tenant', fields)).to.deep.equal([])
  })

  it('changes for an object with its fields, their types and their search, and for no other', () => {
    const { fields } = sampleDefinition('tenant')
    expect(changedBy('tenant', { fields: [...fields, { name: 'Added', type: 'text' }] })).to.deep.equal([
      'tenant',
    ])
    const toText = (field: FieldDefinition) =>
      field.name === 'Phone' ? ({ ...field, type: 'longtext' } as const) : field
    expect(changedBy('tenant', fieldsOf('tenant', toText))).to.deep.equal(['tenant'])
    const searched = fieldsOf('tenant', (field) => ({ ...field, searchable: field.type === 'text' }))
    expect(changedBy('tenant', searched)).to.deep.equal(['tenant'])
  })

  it('changes for those that look an object up with its display field', () => {
    expect(changedBy('tenant', { display: 'Email' })).to.include.members(['contract', 'tenant'])
  })

  it('is the same in whatever order definitions come', () => {
    expect([...readModelLayouts(new Map([...definitions].reverse()))]).to.deep.equal([
      ...readModelLayouts(definitions),
    ])
  })
})
