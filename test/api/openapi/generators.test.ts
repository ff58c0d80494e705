/** The whole document that is served keeps to what generators of clients can read, and webhooks send what it says. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { expect } from 'chai'
import { forGenerators } from '../../../src/api/openapi/for-generators.ts'
import type { OpenApiDocument } from '../../../src/api/openapi/document.ts'
import { testService, type TestService } from '../../support/service.ts'
import { eventually } from '../../system/support/eventually.ts'

type Members = Readonly<Record<string, unknown>>
const DATA = ['const', 'default', 'enum', 'example', 'examples', 'x-field']

/** Every object that is no value, with its JSON pointer. Members that anything may name are passed through. */
function* schemasIn(part: unknown, pointer = '', named = false): Generator<[string, Members]> {
  if (typeof part !== 'object' || part === null) return
  if (!Array.isArray(part) && !named) yield [pointer, part as Members]
  for (const [name, member] of Object.entries(part))
    if (named || !DATA.includes(name))
      yield* schemasIn(member, `${pointer}/${name}`, !named && /^(properties|schemas|headers)$/.test(name))
}

describe('the OpenAPI document, for generators of clients', () => {
  let service: TestService
  let document: OpenApiDocument
  let schemas: readonly [string, Members][]

  before(async function () {
    this.timeout(60_000)
    service = await testService()
    document = (await service.get('openapi.json')).json as unknown as OpenApiDocument
    schemas = [...schemasIn(document)]
  })
  after(() => service.discard())

  const breaking = (isBroken: (schema: Members) => boolean) =>
    schemas.filter(([, schema]) => isBroken(schema)).map(([pointer]) => pointer)

  it('has no schema of several types but null', () => {
    const types = ({ type }: Members) => (Array.isArray(type) ? (type as readonly string[]) : [])
    expect(schemas.some(([, schema]) => types(schema).includes('null'))).to.equal(true)
    expect(breaking((schema) => types(schema).filter((type) => type !== 'null').length > 1)).to.deep.equal([])
  })

  it('gives every const and enum a type', () => {
    expect(schemas.some(([, schema]) => 'const' in schema)).to.equal(true)
    const isBare = (schema: Members) => ('const' in schema || 'enum' in schema) && !('type' in schema)
    expect(breaking(isBare)).to.deep.equal([])
  })

  it('has no const in a header that is sent', () => {
    const headers = Object.values(document.components.parameters).filter((one) => one.in === 'header')
    expect(headers.filter(({ schema }) => 'const' in schema)).to.deep.equal([])
  })

  it('has the whole record before the reference', () => {
    const refsOf = ({ anyOf }: Members) =>
      ((anyOf ?? []) as readonly Members[]).map(({ $ref }) => String($ref).split('/').at(-1)!)
    const isBoth = (refs: readonly string[]) => refs.some((ref) => refs.includes(`${ref}.Reference`))
    const lookups = schemas.map(([, schema]) => refsOf(schema)).filter(isBoth)
    expect(lookups.length).to.be.above(10)
    for (const [first, second] of lookups) expect(second).to.equal(`${first}.Reference`)
  })

  it('has no schema that is named like a type of a language', () => {
    expect(document.components.schemas).to.not.have.any.keys('Error', 'Object', 'String', 'Date', 'Map')
  })

  it('has no plain type "or null" as two schemas', () => {
    const isApart = ({ anyOf }: Members) =>
      Array.isArray(anyOf) &&
      anyOf.length === 2 &&
      (anyOf[1] as Members)['type'] === 'null' &&
      typeof (anyOf[0] as Members)['type'] === 'string' &&
      // Of an object that takes any members, openapi-generator makes Java that does not compile when it is "or null".
      (anyOf[0] as Members)['type'] !== 'object' &&
      !('enum' in (anyOf[0] as Members))
    expect(breaking(isApart)).to.deep.equal([])
  })

  it('names every operation of all areas differently', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
    const ids = operations.map(({ operationId }) => operationId.toLowerCase())
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).to.deep.equal([])
  })

  it('names no two parameters of an operation alike, for languages that leave hyphens out', () => {
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
    for (const { operationId, parameters = [] } of operations) {
      const all = parameters.map((one) =>
        '$ref' in one ? document.components.parameters[one.$ref.split('/').at(-1)!]! : one,
      )
      const names = all
        .filter((one) => one.in !== 'path')
        .map((one) => (one['x-go-name'] ?? one.name).replaceAll('-', '').toLowerCase())
      expect(new Set(names).size, operationId).to.equal(names.length)
    }
  })

  it('names no parameter like a schema', () => {
    const { parameters, schemas: named } = document.components
    expect(Object.keys(parameters).filter((name) => name in named)).to.deep.equal([])
  })

  it('has every event that a webhook can ask for', async () => {
    const { list } = await service.get('webhooks/events?pageSize=100')
    expect(list.length).to.be.above(50)
    expect(Object.keys(document.webhooks!)).to.include.members(list.map((one) => one['Event'] as string))
    const ids = Object.values(document.webhooks!).map(({ post }) => post!.operationId)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('says what webhooks are sent', async () => {
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    ajv.addFormat('idn-email', true)
    ajv.addFormat('iri', true)
    ajv.addSchema(document, 'daybook')
    const { data: webhook } = await service.post('webhooks', {
      Url: 'https://hooks.example.com/x',
      Events: ['*'],
    })
    const tenant = await service.create('tenant', { Name: 'Ada' })
    const contract = await service.create('contract', {
      Tenant: tenant.Id,
      MonthlyRent: { Amount: 1, Currency: 'EUR' },
      StartDate: '2999-01-01',
    })
    await service.patch(`contract/${contract.Id}`, { Notes: 'x' })
    await service.delete(`contract/${contract.Id}`)
    expect((await service.post(`webhooks/${webhook.Id}/ping`)).status).to.equal(202)
    const deliveries = await eventually('all are there', async () => {
      const { list } = await service.get(`webhooks/${webhook.Id}/deliveries`)
      expect(list.length).to.equal(5)
      return list
    })
    for (const { Id } of deliveries) {
      const { data } = await service.get(`webhooks/${webhook.Id}/deliveries/${Id}`)
      const body = JSON.parse(data['Body'] as string) as Members
      const event = String(body['Event'])
      const schema = `daybook#/webhooks/${event}/post/requestBody/content/application~1json/schema`
      const validate = ajv.compile({ $ref: schema })
      expect(validate(body), `${event}: ${ajv.errorsText(validate.errors)}`).to.equal(true)
    }
  })
})

describe('schemas spelled for generators', () => {
  it('mean the same', () => {
    const spelled = forGenerators({
      a: { type: ['string', 'number', 'null'], description: 'A.' },
      b: { const: 3 },
      c: { enum: ['x', null] },
      d: { anyOf: [{ type: 'string', pattern: 'x' }, { type: 'null' }], description: 'D.' },
    })
    expect(spelled).to.deep.equal({
      a: { description: 'A.', anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
      b: { type: 'integer', const: 3 },
      c: { type: ['string', 'null'], enum: ['x', null] },
      d: { description: 'D.', type: ['string', 'null'], pattern: 'x' },
    })
  })

  it('leave members and values alone that look like one', () => {
    const given = {
      properties: { const: { type: 'string' }, type: { type: 'object', properties: {} } },
      default: { const: 1 },
      examples: [{ type: ['a', 'b'] }],
    }
    expect(forGenerators(given)).to.deep.equal(given)
  })
})
