/**
 * Four objects that look one another up and have every type of field between them: what suites list, filter and sort.
 * Contract's fields are those of docs/interface.md#contract-record, and more.
 */
import type { Definitions, ObjectDefinition } from '../../src/domain/definition.ts'

const contract: ObjectDefinition = {
  object: 'contract',
  name: 'Contract',
  application: 'Leasing',
  display: 'ContractNumber',
  fields: [
    { name: 'ContractNumber', type: 'text', readOnly: true, unique: true, searchable: true },
    { name: 'Tenant', type: 'lookup', target: 'tenant', searchable: true },
    { name: 'Building', type: 'lookup', target: 'building' },
    { name: 'Unit', type: 'lookup', target: 'unit' },
    { name: 'MonthlyRent', type: 'money', required: true },
    { name: 'StartDate', type: 'date', required: true },
    {
      name: 'EndDate',
      type: 'date',
      derived: { from: 'StartDate', months: 'Duration' },
      notBefore: 'StartDate',
    },
    { name: 'Duration', type: 'integer', unit: 'months', minimum: 1 },
    { name: 'LeaseType', type: 'choice', choices: ['New', 'Renewal', 'Extension', 'Transfer'] },
    { name: 'Status', type: 'choice', choices: ['Draft', 'PendingApproval', 'Active'], strict: true },
    { name: 'Notes', type: 'longtext', searchable: true },
    { name: 'AutoRenews', type: 'boolean' },
    { name: 'SignedAt', type: 'timestamp' },
    { name: 'Terms', type: 'json' },
  ],
  numbering: { field: 'ContractNumber', pattern: 'CON-{year}-{sequence}', digits: 4 },
  workflow: { field: 'Status', initial: 'Draft', states: ['Draft', 'PendingApproval', 'Active'] },
}

const tenant: ObjectDefinition = {
  object: 'tenant',
  name: 'Tenant',
  application: 'Leasing',
  display: 'Name',
  fields: [
    { name: 'Name', type: 'text', required: true, searchable: true },
    { name: 'Email', type: 'email', personal: true, searchable: true },
    { name: 'Phone', type: 'text', personal: true },
    { name: 'Website', type: 'url' },
    { name: 'IsActive', type: 'boolean', default: true },
    { name: 'Score', type: 'decimal' },
    { name: 'Deposit', type: 'money' },
    { name: 'LastContactAt', type: 'timestamp' },
    { name: 'Guarantor', type: 'lookup', target: 'tenant' },
  ],
}

const building: ObjectDefinition = {
  object: 'building',
  name: 'Building',
  application: 'Leasing',
  display: 'Name',
  fields: [
    { name: 'Name', type: 'text', required: true, searchable: true },
    { name: 'City', type: 'text', searchable: true },
    { name: 'BuiltOn', type: 'date' },
    { name: 'Floors', type: 'integer' },
  ],
}

const unit: ObjectDefinition = {
  object: 'unit',
  name: 'Unit',
  application: 'Leasing',
  display: 'Number',
  fields: [
    { name: 'Number', type: 'text', required: true, searchable: true },
    { name: 'Building', type: 'lookup', target: 'building' },
    { name: 'Area', type: 'decimal', unit: 'm²' },
    { name: 'IsFurnished', type: 'boolean' },
  ],
}

export const sampleDefinitions: Definitions = new Map(
  [contract, tenant, building, unit].map((definition) => [definition.object, definition]),
)

/** One of the four; a name that is none of them is a mistake of the test. */
export function sampleDefinition(object: string): ObjectDefinition {
  const definition = sampleDefinitions.get(object)
  if (!definition) throw new Error(`no sample definition ${object}`)
  return definition
}
