import { fileURLToPath } from 'node:url'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect } from 'chai'
import { openApiDocument } from '../../../src/api/openapi/openapi.ts'
import type { Operation, Parameter } from '../../../src/api/openapi/document.ts'
import { createRecord } from '../../../src/commands/create-record.ts'
import { updateRecord } from '../../../src/commands/update-record.ts'
import { loadDefinitions } from '../../../src/definitions/load.ts'
import type { Definitions } from '../../../src/domain/definition.ts'
import { recordDocument } from '../../../src/domain/records/document.ts'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import { parseExpand, parseFields } from '../../../src/domain/query/fields.ts'
import { parseSort } from '../../../src/domain/query/sort.ts'
import { absent } from '../../../src/domain/records/record.ts'
import { sampleDefinitions } from '../../support/sample-definitions.ts'

const shipped = loadDefinitions([fileURLToPath(new URL('../../../definitions', import.meta.url))])
const documentOf = (definitions: Definitions) =>
  openApiDocument({ definitions, publicUrl: 'https://daybook.example/', version: '1.2.3', areas: [] })

type Json = Record<string, unknown>
type Document = ReturnType<typeof documentOf>

/** Every object in the document with its JSON pointer. */
function* objectsIn(value: unknown, pointer = ''): Generator<[string, Json]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [pointer, value as Json]
  for (const [name, member] of Object.entries(value))
    yield* objectsIn(member, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
}

function resolve(document: Document, pointer: string): unknown {
  let value: unknown = document
  for (const step of pointer.split('/').slice(1))
    value = (value as Json | undefined)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')]
  return value
}

function operationsOf(document: Document): { path: string; method: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
}

function parametersOf(document: Document, { parameters = [] }: Operation): Parameter[] {
  return parameters.map((one) => ('$ref' in one ? (resolve(document, one.$ref.slice(1)) as Parameter) : one))
}

/** A validator of the schema at a pointer into the document: it answers what is wrong with a value. */
function validatorOf(document: Document) {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false })
  formats.default(ajv)
  // Formats of JSON Schema that ajv-formats does not know.
  ajv.addFormat('idn-email', /^\S+@\S+$/)
  ajv.addFormat('iri', /^[a-z]+:\/\/\S+$/i)
  ajv.addKeyword('x-field')
  // Each component is a resource of its own, so that it is compiled once.
  const text = JSON.stringify(document).replaceAll('"#/components/schemas/', '"daybook:/')
  const resources = JSON.parse(text) as Document
  for (const [name, schema] of Object.entries(resources.components.schemas))
    ajv.addSchema(schema, `daybook:/${name}`)
  return (pointer: string) => {
    const validate = ajv.compile(resolve(resources, pointer) as object)
    return (value: unknown) => (validate(value) ? [] : ajv.errorsText(validate.errors).split(', '))
  }
}

for (const [name, definitions] of [
  ['of the objects that are shipped', shipped],
  ['of objects with every field type', sampleDefinitions],
] as const)
  describe(`the OpenAPI document ${name}`, () => {
    const document = documentOf(definitions)
    const validator = validatorOf(document)
    const operations = operationsOf(document)

    it('is plain JSON of OpenAPI 3.1, with the server it is told', () => {
      expect(JSON.parse(JSON.stringify(document))).to.deep.equal(document)
      expect(document.openapi).to.equal('3.1.0')
      expect(document.servers).to.deep.equal([{ url: 'https://daybook.example' }])
      expect(document.info.version).to.equal('1.2.3')
    })

    it('refers only to what is there', () => {
      let count = 0
      for (const [pointer, { $ref }] of objectsIn(document)) {
        if (typeof $ref !== 'string') continue
        count++
        expect(resolve(document, $ref.slice(1)), `${pointer} -> ${$ref}`).to.be.an('object')
      }
      expect(count).to.be.greaterThan(100)
    })

    it('has no component that nothing refers to', () => {
      const used = new Set([...objectsIn(document)].map(([, { $ref }]) => $ref))
      for (const kind of ['schemas', 'parameters', 'headers', 'responses'] as const)
        for (const component of Object.keys(document.components[kind]))
          expect(used.has(`#/components/${kind}/${component}`), `${kind}/${component}`).to.be.true
    })

    it('has schemas that compile, closed wherever they say which properties there are', function () {
      this.timeout(60_000)
      let count = 0
      for (const [pointer, value] of objectsIn(document)) {
        if (pointer.endsWith('/schema') || /^\/components\/schemas\/[^/]+$/.test(pointer)) {
          validator(pointer)
          count++
        }
        // Part of an `allOf` that narrows a closed schema.
        const narrowing = /\/allOf\/\d+$/.test(pointer)
        const rest = value['additionalProperties']
        // Or a map, whose values have a schema.
        const isOpen = (rest === true || typeof rest === 'object') && !('properties' in value)
        if (value['type'] === 'object' && !narrowing && !isOpen) expect(rest, pointer).to.equal(false)
      }
      expect(count).to.be.greaterThan(50)
    })

    it('names every operation differently, and gives each a tag, a summary and the answers to errors', () => {
      const ids = operations.map(({ operation }) => operation.operationId)
      expect(new Set(ids).size).to.equal(ids.length)
      const tags = document.tags.map((tag) => tag.name)
      for (const { operation, path } of operations) {
        expect(
          operation.tags.every((tag) => tags.includes(tag)),
          operation.operationId,
        ).to.be.true
        expect(operation.summary).to.be.a('string')
        if (path.startsWith('/api/v1/health')) continue
        expect(operation.responses, operation.operationId).to.include.keys(
          '400',
          '401',
          '403',
          '429',
          '500',
          '503',
        )
      }
    })

    it('declares exactly the parameters of each path', () => {
      for (const { path, operation } of operations) {
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
        const declared = parametersOf(document, operation).filter((one) => one.in === 'path')
        expect(
          declared.map((one) => one.name),
          path,
        ).to.deep.equal(inPath)
        expect(
          declared.every((one) => one.required),
          path,
        ).to.be.true
        const all = parametersOf(document, operation).map((one) => `${one.in} ${one.name}`)
        expect(new Set(all).size, path).to.equal(all.length)
      }
    })

    it('has every object with its operations, grouped by application', () => {
      for (const { object, name: tag, application, fields, workflow } of definitions.values()) {
        const own = operations.filter(({ operation }) => operation.tags.includes(tag))
        expect(own.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
          `get /api/v1/${object}`,
          `post /api/v1/${object}`,
          `get /api/v1/${object}/{key}`,
          `put /api/v1/${object}/{key}`,
          `patch /api/v1/${object}/{key}`,
          `delete /api/v1/${object}/{key}`,
          `post /api/v1/${object}/{key}/restore`,
          ...(workflow ? [`get /api/v1/${object}/{key}/workflow`] : []),
          ...(workflow?.transitions ? [`post /api/v1/${object}/{key}/workflow/{action}`] : []),
          ...(MATCHING[object] ?? []),
          `post /api/v1/${object}/import`,
          `get /api/v1/${object}/import/template.csv`,
          `get /api/v1/${object}/import/template.xlsx`,
          `post /api/v1/${object}/batch`,
          ...fields
            .filter((field) => field.unique)
            .map((field) => `put /api/v1/${object}/by/${field.name}/{value}`),
          `get /api/v1/${object}/export`,
          `get /api/v1/${object}/{key}/history`,
          `get /api/v1/${object}/changes`,
        ])
        expect(document['x-tagGroups'].find((group) => group.tags.includes(tag))?.name).to.equal(application)
      }
    })

    it('has examples that are valid by the schema they stand beside', () => {
      let count = 0
      for (const [pointer, value] of objectsIn(document)) {
        if ('example' in value && 'schema' in value) {
          expect(validator(`${pointer}/schema`)(value['example']), pointer).to.deep.equal([])
          count++
        }
        if (/^\/components\/schemas\/[^/]+$/.test(pointer))
          for (const example of (value['examples'] as unknown[] | undefined) ?? []) {
            expect(validator(pointer)(example), pointer).to.deep.equal([])
            count++
          }
      }
      expect(count).to.be.greaterThan(50)
    })

    it('has examples that the service takes', () => {
      for (const definition of definitions.values()) {
        const { object, name: tag } = definition
        const example = (schema: string) =>
          (document.components.schemas[`${tag}.${schema}`]?.['examples'] as [never])[0]
        const { data } = createRecord({ definition, body: example('Create'), today: '2026-01-01' })
        const state = { ...absent, status: 'live' as const, fields: data }
        updateRecord({ definition, body: example('Update'), writing: 'replace' }, state)
        updateRecord({ definition, body: example('Patch'), writing: 'merge' }, state)

        const list = document.paths[`/api/v1/${object}`]?.get as Operation
        for (const { name: parameter, example: value } of parametersOf(document, list)) {
          if (parameter === 'filter') parseFilter(value as string, definition, definitions)
          if (parameter === 'sort') parseSort(value as string, definition, definitions)
          if (parameter === 'fields') parseFields((value as string[]).join(','), definition)
          if (parameter === 'expand') parseExpand((value as string[]).join(','), definition)
        }
      }
    })

    it('describes a record without any optional value as the service serves it', () => {
      for (const definition of definitions.values()) {
        const { object, numbering } = definition
        const required = definition.fields.filter((field) => field.required && !field.readOnly)
        const example = document.components.schemas[`${definition.name}.Create`]?.['examples'] as [Json]
        const { data } = createRecord({
          definition,
          body: Object.fromEntries(required.map((field) => [field.name, example[0][field.name]])) as never,
          today: '2026-01-01',
        })
        const record = recordDocument({
          definition,
          definitions,
          key: `${object}-0123456789abcdefghjkmnpqrs`,
          fields: { ...data, ...(numbering ? { [numbering.field]: 'X-1' } : {}) },
          createdAt: '2026-01-01T10:00:00.123Z',
          modifiedAt: '2026-01-01T10:00:00.123Z',
          displayOf: () => 'Other',
        })
        for (const schema of [definition.name, `${definition.name}.Selection`])
          expect(validator(`/components/schemas/${schema}`)(record), schema).to.deep.equal([])
      }
    })
  })

/** Routes of objects that bank statements are about. */
const MATCHING: Readonly<Record<string, readonly string[]>> = {
  bankaccount: ['post /api/v1/bankaccount/{key}/rematch'],
  banktransaction: [
    'get /api/v1/banktransaction/{key}/matches',
    'post /api/v1/banktransaction/{key}/match',
    'post /api/v1/banktransaction/{key}/unmatch',
    'post /api/v1/banktransaction/{key}/ignore',
  ],
}

describe('the OpenAPI schemas of a contract', () => {
  const document = documentOf(shipped)
  const validator = validatorOf(document)
  const faultsOf = (schema: string, value: unknown) => validator(`/components/schemas/${schema}`)(value)
  const key = (object: string) => `${object}-0123456789abcdefghjkmnpqrs`
  const body = { MonthlyRent: { Amount: 1250.5, Currency: 'EUR' }, StartDate: '2030-01-01' }
  const tenant = (document.components.schemas['Tenant']?.['examples'] as [Json])[0]
  const contract = (document.components.schemas['Contract']?.['examples'] as [Json])[0]

  it('take a body of the specification', () =>
    expect(
      faultsOf('Contract.Create', {
        ...body,
        Tenant: key('tenant'),
        Building: null,
        Duration: 24,
        LeaseType: 'Sublease',
      }),
    ).to.deep.equal([]))

  for (const [what, change] of [
    ['without a required field', { MonthlyRent: undefined }],
    ['with a field that the service assigns', { ContractNumber: 'CON-2026-0001' }],
    ['with a field that is none', { Rent: 5 }],
    ['with the Key of another object', { Tenant: key('unit') }],
    ['with a nested lookup', { Tenant: { Id: key('tenant') } }],
    ['with a state that is none', { Status: 'Signed' }],
    ['with no state', { Status: null }],
    ['with money as a number', { MonthlyRent: 1250 }],
    ['with rent below its minimum', { MonthlyRent: { Amount: -1, Currency: 'EUR' } }],
    ['with half of money', { MonthlyRent: { Amount: 1 } }],
    ['with a day that is none', { StartDate: '2030-02-30' }],
  ] as const)
    it(`refuse a body ${what}`, () =>
      expect(
        faultsOf('Contract.Create', JSON.parse(JSON.stringify({ ...body, ...change }))),
      ).to.not.deep.equal([]))

  it('let PUT and PATCH send a field alone, and clear what is not required', () => {
    for (const schema of ['Contract.Update', 'Contract.Patch']) {
      expect(faultsOf(schema, { Notes: null })).to.deep.equal([])
      expect(faultsOf(schema, { MonthlyRent: null })).to.not.deep.equal([])
    }
  })

  it('let only PATCH send half of money', () => {
    expect(faultsOf('Contract.Patch', { MonthlyRent: { Amount: 1 } })).to.deep.equal([])
    expect(faultsOf('Contract.Update', { MonthlyRent: { Amount: 1 } })).to.not.deep.equal([])
  })

  it('know a lookup in short, in full, and without value, and nothing between', () => {
    const with_ = (value: unknown) => faultsOf('Contract.Selection', { ...contract, Tenant: value })
    expect(with_({ Id: key('tenant'), Name: 'North' })).to.deep.equal([])
    expect(with_(tenant)).to.deep.equal([])
    expect(with_(null)).to.deep.equal([])
    expect(with_({ Id: key('tenant'), Name: 'North', Email: null })).to.not.deep.equal([])
    expect(with_(key('tenant'))).to.not.deep.equal([])
    expect(faultsOf('Contract', { ...contract, Tenant: tenant })).to.not.deep.equal([])
  })

  it('promise all fields of a record, and only Id of a selection', () => {
    const withoutNotes = Object.fromEntries(Object.entries(contract).filter(([name]) => name !== 'Notes'))
    expect(faultsOf('Contract', withoutNotes)).to.not.deep.equal([])
    expect(faultsOf('Contract.Selection', { Id: contract['Id'] })).to.deep.equal([])
    expect(faultsOf('Contract.Selection', { Notes: null })).to.not.deep.equal([])
  })

  it('tell programs what the definition says of a field', () =>
    expect(document.components.schemas['Contract']?.properties?.['Duration']?.['x-field']).to.deep.equal({
      type: 'integer',
      unit: 'months',
      minimum: 1,
      maximum: 1200,
    }))
})
