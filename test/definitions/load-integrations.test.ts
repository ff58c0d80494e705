/** The files of integrations: those that are shipped, and what is wrong with others. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { integrationJsonSchema, loadIntegrations } from '../../src/definitions/load-integrations.ts'
import { DefinitionError } from '../../src/definitions/definition-error.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'

const shipped = join(import.meta.dirname, '..', '..', 'definitions')
const definitions = loadDefinitions([shipped])

const small = {
  integration: 'small',
  scenario: 'other',
  title: 'Small',
  description: 'As little as there may be.',
  credentials: [{ name: 'key' }],
  receive: [
    {
      name: 'events',
      verify: [{ bearer: 'key' }] as object[],
      map: [{ object: 'payment', by: { GatewayReference: 'id' }, set: { Notes: 'note' } }] as object[],
    },
  ],
}

describe('the integrations that are shipped', () => {
  const folder = join(shipped, 'integrations')
  const names = readdirSync(folder)

  it('are all read, and tell editors their schema first', () => {
    const integrations = loadIntegrations([shipped], definitions)
    expect([...integrations.keys()].map((name) => `${name}.json`)).to.deep.equal(names.sort())
    for (const name of names)
      expect(readFileSync(join(folder, name), 'utf8')).to.match(
        /^\{\s+"\$schema": "\.\.\/integration\.schema\.json"/,
      )
  })

  it('fulfil their schema, which is current', () => {
    const schema: unknown = JSON.parse(readFileSync(join(shipped, 'integration.schema.json'), 'utf8'))
    expect(schema).to.deep.equal(JSON.parse(JSON.stringify(integrationJsonSchema())))
    const accepts = new Ajv({ strict: false }).compile(integrationJsonSchema())
    for (const name of names)
      expect(accepts(JSON.parse(readFileSync(join(folder, name), 'utf8'))), name).to.equal(true)
    expect(accepts({ ...small, scenario: 'unheard-of' })).to.equal(false)
  })
})

describe('an integration of one’s own', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'daybook-integrations-'))
    mkdirSync(join(folder, 'integrations'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const load = (integration: object) => {
    writeFileSync(join(folder, 'integrations', 'small.json'), JSON.stringify(integration))
    return loadIntegrations([shipped, folder], definitions)
  }
  const faultsOf = (integration: object): readonly string[] => {
    try {
      load(integration)
      return []
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error
      return error.faults.map(({ path, reason }) => `${path} ${reason}`)
    }
  }
  const withScim = (attributes: object, bearer = 'token') => ({
    ...small,
    credentials: [...small.credentials, { name: 'token' }],
    scim: { bearer, users: { object: 'employee', attributes } },
  })
  const withWatch = (more: object) => {
    const request = { method: 'POST', path: '/watches' }
    const asking = { request, renewal: request, end: request, answer: { link: 'id' } }
    const watch = { name: 'changes', as: 'events', secret: 'secret', days: 1, ...asking, ...more }
    return { ...small, watch: [watch] }
  }
  const withRule = (rule: object) => ({ ...small, receive: [{ ...small.receive[0], map: [rule] }] })

  it('stands beside those that are shipped', () => {
    expect(load(small).get('small')?.receive[0]?.map[0]).to.include({ create: true })
    expect(load(small).has('stripe')).to.equal(true)
  })

  const refused: readonly (readonly [string, object, RegExp])[] = [
    ['another name than its file', { ...small, integration: 'large' }, /\$\.integration must be small/],
    [
      'a name twice',
      { ...small, receive: [small.receive[0], small.receive[0]] },
      /receive\[1\]\.name events is there/,
    ],
    [
      'an unknown object',
      withRule({ object: 'paiment', by: { A: 'id' }, set: {} }),
      /there is no object paiment/,
    ],
    [
      'an unknown field',
      withRule({ object: 'payment', link: 'id', set: { Amonut: 'a' } }),
      /no field Amonut/,
    ],
    [
      'a field that the service assigns',
      withRule({ object: 'payment', link: 'id', set: { PaymentNumber: 'a' } }),
      /assigned/,
    ],
    [
      'a field that is not unique',
      withRule({ object: 'payment', by: { Notes: 'id' }, set: {} }),
      /not a unique field of payment/,
    ],
    ['neither field nor link', withRule({ object: 'payment', set: {} }), /by which unique field or link/],
    [
      'a filter that cannot be read',
      withRule({ object: 'payment', link: 'id', guard: 'Status is new', set: {} }),
      /guard/,
    ],
    [
      'a filter by a choice that no record can have',
      withRule({ object: 'payment', link: 'id', guard: "Status eq 'Recieved'", set: {} }),
      /guard Status is never 'Recieved' at 11; did you mean Received\?/,
    ],
    [
      'an action that is not there',
      withRule({ object: 'payment', link: 'id', action: 'fly', set: {} }),
      /no action fly/,
    ],
    [
      'a lookup inside another expression',
      withRule({
        object: 'payment',
        link: 'id',
        set: { Tenant: { text: { lookup: 'tenant', by: 'Email', from: 'a' } } },
      }),
      /must not stand inside/,
    ],
    [
      'a credential that is not there',
      { ...small, receive: [{ ...small.receive[0], verify: [{ bearer: 'other' }] }] },
      /there is no credential other/,
    ],
    [
      'a message without a meaning',
      { ...small, receive: [{ ...small.receive[0], map: [] }] },
      /receive\[0\] must have a rule in map, or polls/,
    ],
    [
      'a message that has both a meaning and a poll run',
      { ...small, receive: [{ ...small.receive[0], polls: 'changes' }] },
      /cannot have a map, too/,
    ],
    [
      'a poll that is not there',
      { ...small, receive: [{ ...small.receive[0], polls: 'changes', map: [] }] },
      /there is no poll changes/,
    ],
    ['a watch by an unknown entry', withWatch({ as: 'evants' }), /watch\[0\]\.as there is no entry evants/],
    [
      'a watch by an unknown secret',
      withWatch({ secret: 'other' }),
      /watch\[0\]\.secret there is no credential other/,
    ],
    ['a SCIM server without its token', withScim({}, 'other'), /scim\.bearer there is no credential other/],
    [
      'a SCIM server without user names',
      withScim({ title: { field: 'JobTitle' } }),
      /userName is required, with a unique/,
    ],
    [
      'a SCIM server that leaves out what records need',
      withScim({ userName: { field: 'UserName' } }),
      /employee needs EmployeeNumber/,
    ],
    [
      'a SCIM attribute with a field of another kind',
      withScim({ manager: { field: 'Workplace' }, active: { field: 'Name', true: 'A', false: 'B' } }),
      /Name is a text field, not one of choice[\s\S]*Workplace must look up another employee/,
    ],
    [
      'a SCIM attribute with choices that there are not',
      withScim({ active: { field: 'Status', true: 'Active', false: 'Gone' } }),
      /active\.false must be a choice of Status/,
    ],
    [
      'a SCIM attribute that follows from one that is not there',
      withScim({ displayName: { field: 'Name', otherwise: 'title' } }),
      /title is not an attribute of this file/,
    ],
    [
      'fields that are not signed',
      {
        ...small,
        receive: [
          {
            ...small.receive[0],
            verify: [
              {
                hmac: 'sha256',
                secret: 'key',
                from: { header: 'S' },
                encoding: 'hex',
                content: [{ field: 'id' }],
              },
            ],
          },
        ],
      },
      /reads note, which is not signed/,
    ],
    [
      'a poll without a reader',
      {
        ...small,
        poll: [{ name: 'p', every: 60, request: { method: 'GET', path: '/' }, items: '$', as: 'none' }],
      },
      /no entry none/,
    ],
    ['no way to verify', { ...small, receive: [{ ...small.receive[0], verify: [] }] }, /verify/],
    [
      'an expression that is none',
      withRule({ object: 'payment', link: { sum: ['a'] }, set: {} }),
      /none of the forms/,
    ],
    ['what nobody knows', { ...small, script: '1 + 1' }, /unknown key script/],
  ]
  for (const [what, integration, reason] of refused)
    it(`with ${what} is refused`, () => expect(faultsOf(integration).join('\n')).to.match(reason))
})
