import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import type { z } from 'zod'
import type { field } from '../../src/definitions/field-schema.ts'
import { definitionFile, definitionJsonSchema, RESERVED_OBJECTS } from '../../src/definitions/schema.ts'
import type { FieldDefinition } from '../../src/domain/definition.ts'
import { readShape } from '../../src/shapes/shape-faults.ts'

// Neither side has a key that the other lacks; a difference does not compile.
type KeysOfEach<T> = T extends unknown ? keyof T : never
type FileKeys = KeysOfEach<z.output<typeof field>>
const keysAreThoseOfTheDomain: [FileKeys] extends [keyof FieldDefinition]
  ? [keyof FieldDefinition] extends [FileKeys]
    ? true
    : never
  : never = true

const plain = {
  object: 'asset',
  name: 'Asset',
  application: 'Facility',
  display: 'Name',
  fields: [{ name: 'Name', type: 'text' }],
}

function faultsOf(json: unknown): string[] {
  const read = readShape(definitionFile, json)
  return 'faults' in read ? read.faults.map(({ path, reason }) => `${path.join('.')}: ${reason}`) : []
}
const withField = (more: object) => ({ ...plain, fields: [...plain.fields, more] })

describe('the shape of a definition file', () => {
  it('has the keys of the domain types', () => expect(keysAreThoseOfTheDomain).to.be.true)

  for (const [what, json, fault] of [
    ['a key that is none', { ...plain, colour: 'red' }, 'colour: unknown key colour'],
    ['a missing key', { ...plain, display: undefined }, 'display: is missing'],
    ['no fields', { ...plain, fields: [] }, 'fields: must have at least 1 entry'],
    [
      'more than 200 fields',
      { ...plain, fields: Array.from({ length: 201 }, (_, index) => ({ name: `F${index}`, type: 'text' })) },
      'fields: must have at most 200 entries',
    ],
    [
      'an object name with capitals',
      { ...plain, object: 'Asset' },
      'object: must be lowercase letters and digits, a letter first',
    ],
    [
      'an object name of the service',
      { ...plain, object: 'session' },
      'object: is a name that the service uses itself',
    ],
    [
      'a field name that is not PascalCase',
      withField({ name: 'due_date', type: 'date' }),
      'fields.1.name: must be PascalCase: a capital, then letters and digits',
    ],
    [
      'a type that is none',
      withField({ name: 'A', type: 'number' }),
      'fields.1.type: must be one of text, longtext, integer, decimal, boolean, date, timestamp, money, choice, lookup, email, url, json',
    ],
    ['a choice without choices', withField({ name: 'A', type: 'choice' }), 'fields.1.choices: is missing'],
    [
      'choices on text',
      withField({ name: 'A', type: 'text', choices: ['x'] }),
      'fields.1.choices: a text field takes no choices',
    ],
    ['a lookup without target', withField({ name: 'A', type: 'lookup' }), 'fields.1.target: is missing'],
    [
      'a target on text',
      withField({ name: 'A', type: 'text', target: 'unit' }),
      'fields.1.target: a text field takes no target',
    ],
    [
      'uniqueness of a date',
      withField({ name: 'A', type: 'date', unique: true }),
      'fields.1.unique: a date field takes no unique',
    ],
    [
      'a default of another type',
      withField({ name: 'A', type: 'integer', default: '1' }),
      'fields.1.default: must be a number',
    ],
    [
      'a unit of text',
      withField({ name: 'A', type: 'text', unit: 'm' }),
      'fields.1.unit: a text field takes no unit',
    ],
  ] as const)
    it(`refuses ${what}`, () => expect(faultsOf(json)).to.deep.equal([fault]))

  it('refuses every reserved name', () => {
    for (const object of RESERVED_OBJECTS) expect(faultsOf({ ...plain, object }), object).to.have.length(1)
  })

  it('names every fault at once', () =>
    expect(faultsOf({ ...withField({ name: 'a', type: 'text' }), display: 3, extra: 1 })).to.have.length(3))
})

describe('definition.schema.json', () => {
  const committed = new URL('../../definitions/definition.schema.json', import.meta.url)

  it('is current', () =>
    expect(
      JSON.parse(readFileSync(committed, 'utf8')),
      'write it anew: see docs/definitions.md, "The schema for editors"',
    ).to.deep.equal(JSON.parse(JSON.stringify(definitionJsonSchema()))))

  it('accepts and refuses as the service does', () => {
    const accepts = new Ajv({ strict: false }).compile(definitionJsonSchema())
    expect(accepts(plain)).to.be.true
    expect(accepts({ ...plain, object: 'session' })).to.be.false
    expect(accepts(withField({ name: 'A', type: 'text', choices: ['x'] }))).to.be.false
    expect(accepts(withField({ name: 'A', type: 'lookup' }))).to.be.false
  })
})
