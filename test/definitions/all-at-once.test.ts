/** All that is wrong with a folder is said at once, in words for people, and nothing is blamed for the fault of another. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { withInternal } from '../../src/compose/parts/definitions.ts'
import { definitionFolders } from '../../src/compose/read-start.ts'
import { DefinitionError } from '../../src/definitions/definition-error.ts'
import { loadAll } from '../../src/definitions/load-all.ts'
import { newFolder } from '../support/service.ts'

const permit = (): Record<string, unknown> => ({
  object: 'permit',
  name: 'Permit',
  application: 'Leasing',
  display: 'Number',
  fields: [
    { name: 'Number', type: 'text', readOnly: true, required: true },
    { name: 'Holder', type: 'lookup', target: 'tenant', required: true },
    { name: 'Start', type: 'date', required: true },
    { name: 'Months', type: 'integer', minimum: 1, maximum: 60 },
    { name: 'End', type: 'date', derived: { from: 'Start', months: 'Months' }, notBefore: 'Start' },
    { name: 'Status', type: 'choice', choices: ['Asked', 'Given', 'Over'], strict: true },
  ],
  numbering: { field: 'Number', pattern: 'P-{year}-{sequence}', digits: 4 },
  workflow: {
    field: 'Status',
    initial: 'Asked',
    states: ['Asked', 'Given', 'Over'],
    transitions: [
      { action: 'give', done: 'given', from: ['Asked'], to: 'Given', condition: "Holder/Status eq 'Active'" },
      { action: 'end', done: 'ended', from: ['Given'], to: 'Over', set: { End: 'today' } },
    ],
  },
  events: [{ name: 'permit.over', when: "Status eq 'Over'" }],
})

describe('a folder of definitions', () => {
  let folder: string
  beforeEach(() => (folder = newFolder()))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const given = (file: string, content: unknown) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(
      join(folder, file),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    )
  }
  const faults = (): string[] => {
    try {
      loadAll(definitionFolders({ DEFINITIONS_DIR: folder }), withInternal)
      return []
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error
      return error.faults.map(
        ({ file, line, path, reason }) =>
          `${file.slice(folder.length + 1)}${line === undefined ? '' : `:${line}`} ${path ?? ''}: ${reason}`,
      )
    }
  }

  it('without a fault is taken', () => {
    given('Leasing/permit.json', permit())
    expect(faults()).to.deep.equal([])
  })

  it('is checked whole: shape, parts, lookups, filters, roles, triggers and integrations', () => {
    given(
      'Leasing/permit.json',
      `{
  "object": "permit",
  "name": "Permit",
  "aplication": "Leasing",
  "display": "Numbr",
  "fields": [
    { "name": "Number", "type": "text", "readOnly": "yes", "maxLength": 0 },
    { "name": "Holder", "type": "lookup", "target": "tenent", "unique": true },
    { "name": "Start", "type": "datetime", "notBefore": "End", "required": "no" },
    { "name": "End", "type": "date", "derived": { "from": "Start", "months": "Month" } },
    { "name": "Months", "type": "integer", "minimum": 9, "maximum": 1 },
    { "name": "Status", "type": "choice", "choices": [] }
  ],
  "numbering": { "field": "Number", "pattern": "P-{seq}", "digits": 0 },
  "workflow": {
    "field": "Status",
    "initial": "Asked",
    "states": ["Asked", "Given"],
    "transitions": [
      { "action": "give", "from": ["Asekd"], "to": "Given", "condition": "Numbre eq 'x'" },
      { "action": "take", "done": "taken", "from": ["Given"], "to": "Asked", "condition": "Status eq 'Given'" }
    ]
  }
}`,
    )
    given('roles.json', {
      roles: [{ Name: 'clerk', Grants: [{ Object: 'contrct', Actions: ['raed'], Colour: 1 }] }],
    })
    given('triggers/leesing/x.json', {})
    given('triggers/leasing/late.json', {
      trigger: 'late',
      area: 'leasing',
      object: 'contract',
      on: { date: 'EndDte', days: [1], at: '8:00', zone: 'company' },
      to: [{ field: 'Tenant.Mail' }],
    })
    given('integrations/till.json', {
      integration: 'till',
      scenario: 'payment',
      title: '',
      description: 'A till.',
      receive: [
        { name: 'in', verify: [{ bearer: 'key' }], map: [{ object: 'paymnt', by: { A: 'a' }, set: {} }] },
      ],
    })
    expect(faults()).to.deep.equal([
      'Leasing/permit.json:4 $.aplication: unknown key aplication; did you mean application?',
      'Leasing/permit.json:5 $.display: there is no field Numbr; did you mean Number?',
      'Leasing/permit.json:7 $.fields[0].readOnly: must be true or false',
      'Leasing/permit.json:7 $.fields[0].maxLength: must be at least 1',
      'Leasing/permit.json:8 $.fields[1].unique: a lookup field takes no unique',
      'Leasing/permit.json:8 $.fields[1].target: there is no object tenent; did you mean tenant?',
      'Leasing/permit.json:9 $.fields[2].type: must be one of text, longtext, integer, decimal, boolean, date, timestamp, money, choice, lookup, email, url, json',
      'Leasing/permit.json:9 $.fields[2].required: must be true or false',
      'Leasing/permit.json:10 $.fields[3].derived.months: there is no field Month; did you mean Months?',
      'Leasing/permit.json:11 $.fields[4].minimum: is greater than the maximum 1',
      'Leasing/permit.json:12 $.fields[5].choices: must have at least 1 entry',
      'Leasing/permit.json:14 $.numbering.digits: must be at least 1',
      'Leasing/permit.json:14 $.numbering.pattern: must hold {sequence} once',
      'Leasing/permit.json:14 $.numbering.pattern: only {year} and {sequence} may be in braces',
      'Leasing/permit.json:20 $.workflow.transitions[0].done: is missing',
      'Leasing/permit.json:20 $.workflow.transitions[0].from[0]: Asekd is not among the states; did you mean Asked?',
      'Leasing/permit.json:20 $.workflow.transitions[0].condition: unknown field Numbre at 1; did you mean Number?',
      'triggers/leesing : is not an area: must be one of workflow, facility-management, leasing; did you mean leasing?',
      'triggers/leasing/late.json:6 $.on.date: there is no date field EndDte; did you mean EndDate?',
      'triggers/leasing/late.json:10 $.on.at: must be a time of day such as 08:00',
      'triggers/leasing/late.json:15 $.to[0].field: Tenant.Mail: tenant has no field Mail; did you mean Email?',
      'integrations/till.json:3 $.scenario: must be one of lead-capture, accounting, bank-statement, hr, iot, documents, payment-gateway, email-marketing, other; did you mean payment-gateway?',
      'integrations/till.json:4 $.title: must not be empty',
      'integrations/till.json:10 $.receive[0].verify[0]: there is no credential key',
      'integrations/till.json:16 $.receive[0].map[0].object: there is no object paymnt; did you mean payment?',
      'roles.json:7 $.roles[0].Grants[0].Object: names an unknown object: contrct; did you mean contract?',
      'roles.json:9 $.roles[0].Grants[0].Actions[0]: must be one of read, create, update, delete, import, export, audit, administer, notify, operate, workflow:<action>, workflow:*; did you mean read?',
      'roles.json:11 $.roles[0].Grants[0].Colour: unknown key Colour',
    ])
  })

  it('with a file that is not JSON is checked but for what relies on it', () => {
    given('Leasing/tenant.json', '{')
    given('Leasing/permit.json', { ...permit(), display: 'Nubmer' })
    expect(faults()).to.deep.equal([
      'Leasing/permit.json:5 $.display: there is no field Nubmer; did you mean Number?',
      'Leasing/tenant.json:1 : is not JSON: expected a key in double quotes, found the end of the file',
    ])
  })

  it('of a value stand at its key, be that in the wrong letters', () => {
    const { name: _, ...unnamed } = permit()
    given('Leasing/permit.json', { ...unnamed, nmae: 'permit' })
    const places = faults().map((fault) => fault.replace(/:\d+ /, ' '))
    expect(places).to.deep.equal([
      'Leasing/permit.json $.nmae: unknown key nmae; did you mean name?',
      'Leasing/permit.json $.nmae: must be PascalCase: a capital, then letters and digits',
    ])
  })

  it('of a type in the wrong letters name the key that was meant', () => {
    const whole = permit() as { fields: { type: string }[] }
    const { type: tpye, ...untyped } = whole.fields[0]!
    given('Leasing/permit.json', { ...whole, fields: [{ ...untyped, tpye }, ...whole.fields.slice(1)] })
    expect(faults()).to.have.length(1)
    expect(faults()[0]).to.match(/\$\.fields\[0\]\.tpye: unknown key tpye; did you mean type\?$/)
  })

  it('that is not there is named by its setting', () =>
    expect(() => definitionFolders({ DEFINITIONS_DIR: join(folder, 'nope') })).to.throw(
      `DEFINITIONS_DIR: there is no folder ${folder}/nope`,
    ))

  /** Every place of a JSON value, as a path. */
  function* places(
    value: unknown,
    path: readonly (string | number)[] = [],
  ): Generator<readonly (string | number)[]> {
    if (path.length > 0) yield path
    if (typeof value === 'object' && value !== null)
      for (const [key, inner] of Object.entries(value))
        yield* places(inner, [...path, Array.isArray(value) ? Number(key) : key])
  }

  it('with anything in the place of anything is checked to its end, without the words of a library', function () {
    // Each run reads all definitions that are shipped, too.
    this.timeout(120_000)
    const all = [...places(permit())]
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...all), fc.jsonValue()), { minLength: 1, maxLength: 4 }),
        (changes) => {
          const changed = permit()
          for (const [path, value] of changes) put(changed, path, value)
          given('Leasing/permit.json', changed)
          for (const fault of faults())
            expect(fault)
              .to.match(/^Leasing\/permit\.json:\d+ \$/)
              .and.not.match(/Invalid|Too |received|undefined/)
        },
      ),
      { numRuns: 60 },
    )
  })

  function put(root: object, path: readonly (string | number)[], value: unknown): void {
    let inner: unknown = root
    for (const step of path.slice(0, -1))
      inner =
        typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[step] : undefined
    if (typeof inner === 'object' && inner !== null) (inner as Record<string, unknown>)[path.at(-1)!] = value
  }
})
