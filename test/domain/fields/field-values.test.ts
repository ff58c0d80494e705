import { expect } from 'chai'
import fc from 'fast-check'
import type { FieldDefinition, FieldType } from '../../../src/domain/definition.ts'
import { readValue } from '../../../src/domain/fields/field-values.ts'
import { ValueFault } from '../../../src/domain/fields/types/rules.ts'
import type { Json } from '../../../src/domain/json.ts'
import { keyOf } from '../../../src/domain/records/key.ts'

const TYPES: readonly FieldType[] = [
  'text',
  'longtext',
  'integer',
  'decimal',
  'boolean',
  'date',
  'timestamp',
  'money',
  'choice',
  'lookup',
  'email',
  'url',
  'json',
]

const field = (type: FieldType, rest: Partial<FieldDefinition> = {}): FieldDefinition => ({
  name: 'Field',
  type,
  ...(type === 'lookup' && { target: 'tenant' }),
  ...rest,
})

const taken = (type: FieldType, value: Json, rest: Partial<FieldDefinition> = {}): Json => {
  const read = readValue(field(type, rest), value)
  if (read instanceof ValueFault) throw new Error(`${JSON.stringify(value)} ${read.message}`)
  return read
}
const refused = (type: FieldType, value: Json, rest: Partial<FieldDefinition> = {}): string => {
  const read = readValue(field(type, rest), value)
  if (!(read instanceof ValueFault)) throw new Error(`${JSON.stringify(value)} was taken`)
  return read.message
}

const tenantKey = keyOf('tenant', new Uint8Array(16).fill(7))

describe('text', () => {
  it('is kept as it is, to the last blank', () => {
    for (const text of ['', ' ', ' Zoë “Ő” \n\t', '😀', "'; DROP TABLE", '{"$gt":1}', '\u0001'])
      expect(taken('text', text)).to.equal(text)
  })

  it('is counted in characters, not in UTF-16 units', () => {
    expect(taken('text', '😀'.repeat(3), { maxLength: 3 })).to.equal('😀😀😀')
    expect(refused('text', '😀'.repeat(4), { maxLength: 3 })).to.equal('is longer than 3 characters')
  })

  it('has a limit when the definition names none', () => {
    expect(taken('text', 'x'.repeat(1_000))).to.have.length(1_000)
    expect(refused('text', 'x'.repeat(1_001))).to.include('1000 characters')
    expect(taken('longtext', 'x'.repeat(100_000))).to.have.length(100_000)
    expect(refused('longtext', 'x'.repeat(100_001))).to.include('100000 characters')
  })

  it('holds nothing that an engine would change: no NUL, no half of a surrogate pair', () => {
    for (const text of ['a\0b', '\0', '\ud83d', 'x\ude00', '\ude00\ud83d'])
      for (const type of ['text', 'longtext', 'choice', 'email', 'url', 'json'] as const)
        expect(refused(type, text), type).to.include('cannot be stored')
  })

  it('is never made of a number, a list or an object', () => {
    for (const value of [1, true, ['a'], { $ne: '' }]) expect(refused('text', value)).to.equal('must be text')
  })
})

describe('numbers', () => {
  it('are whole for an integer, and no more than a double counts', () => {
    expect(taken('integer', 12)).to.equal(12)
    expect(taken('integer', -Number.MAX_SAFE_INTEGER)).to.equal(-Number.MAX_SAFE_INTEGER)
    expect(refused('integer', 1.5)).to.equal('must be an integer')
    expect(refused('integer', 2 ** 53)).to.equal('has more digits than are kept exactly')
    expect(refused('integer', Infinity)).to.equal('must be an integer')
    expect(refused('integer', '12')).to.equal('must be an integer')
  })

  it('are finite for a decimal', () => {
    for (const value of [0.1, -1.5, 5e-324, Number.MAX_VALUE]) expect(taken('decimal', value)).to.equal(value)
    for (const value of [Infinity, -Infinity, NaN, '0.1', null as Json, [1]])
      expect(refused('decimal', value)).to.equal('must be a number')
  })

  it('keep the bounds of the definition, the bounds themselves included', () => {
    const bounds = { minimum: -1, maximum: 5 }
    for (const type of ['integer', 'decimal'] as const) {
      expect(taken(type, -1, bounds)).to.equal(-1)
      expect(taken(type, 5, bounds)).to.equal(5)
      expect(refused(type, -2, bounds)).to.equal('must be at least -1')
      expect(refused(type, 6, bounds)).to.equal('must be at most 5')
    }
    expect(taken('integer', 0, { minimum: 0 })).to.equal(0)
    expect(refused('money', { Amount: -0.01, Currency: 'EUR' }, { minimum: 0 })).to.equal(
      'must be at least 0',
    )
  })

  it('have one zero', () => {
    for (const type of ['integer', 'decimal'] as const)
      expect(Object.is(taken(type, -0), 0), type).to.equal(true)
    expect(
      Object.is((taken('money', { Amount: -0, Currency: 'EUR' }) as { Amount: number }).Amount, 0),
    ).to.equal(true)
  })
})

describe('booleans, dates and timestamps', () => {
  it('are taken as JSON has them', () => {
    expect([taken('boolean', true), taken('boolean', false)]).to.deep.equal([true, false])
    expect(taken('date', '2024-02-29')).to.equal('2024-02-29')
    expect(taken('timestamp', '2026-03-01T09:30:15.5+01:00')).to.equal('2026-03-01T08:30:15Z')
  })

  it('are never guessed', () => {
    for (const value of ['true', 1, 0, '', 'yes'])
      expect(refused('boolean', value)).to.equal('must be true or false')
    for (const value of ['2023-02-29', '01.02.2026', '', 20260101, ['2026-01-01'], '2026-01-01T00:00:00Z'])
      expect(refused('date', value)).to.equal('must be a date that exists, as YYYY-MM-DD')
    for (const value of ['2026-01-01', '', 1_767_225_600, '2026-01-01T25:00:00Z'])
      expect(refused('timestamp', value)).to.equal('must be a timestamp that exists, as YYYY-MM-DDThh:mm:ssZ')
  })
})

describe('money', () => {
  it('is an amount in a currency, in that order', () =>
    expect(JSON.stringify(taken('money', { Currency: 'EUR', Amount: 1250.5 }))).to.equal(
      '{"Amount":1250.5,"Currency":"EUR"}',
    ))

  it('says what is wrong with it', () => {
    const faults: [Json, string][] = [
      [1250.5, 'must be an object {Amount, Currency}'],
      ['1250.50 EUR', 'must be an object {Amount, Currency}'],
      [[1250.5, 'EUR'], 'must be an object {Amount, Currency}'],
      [{}, 'needs Amount, a number'],
      [{ Amount: '1250.5', Currency: 'EUR' }, 'needs Amount, a number'],
      [{ Amount: Infinity, Currency: 'EUR' }, 'needs Amount, a number'],
      [{ Amount: 1250.5 }, 'needs Currency, a code such as EUR'],
      [{ Amount: 1250.5, Currency: 978 }, 'needs Currency, a code such as EUR'],
      [{ Amount: 1, Currency: 'eur' }, 'has a Currency that is not an ISO 4217 code: "eur"'],
      [{ Amount: 1, Currency: 'X'.repeat(99) }, 'has a Currency that is not an ISO 4217 code: "XXXXXXXXXX"'],
      [{ Amount: 1, Currency: 'EUR', Vat: 0 }, 'has an unknown member "Vat"; it takes Amount and Currency'],
      [
        { Amount: 1.005, Currency: 'EUR' },
        'has an Amount with more digits than EUR keeps exactly (2 decimals)',
      ],
      [
        { Amount: 1.5, Currency: 'JPY' },
        'has an Amount with more digits than JPY keeps exactly (0 decimals)',
      ],
      [
        { Amount: 1e20, Currency: 'EUR' },
        'has an Amount with more digits than EUR keeps exactly (2 decimals)',
      ],
    ]
    for (const [value, message] of faults) expect(refused('money', value)).to.equal(message)
  })

  it('is not fooled by members that every object inherits', () => {
    expect(refused('money', JSON.parse('{"__proto__":{"Amount":1,"Currency":"EUR"}}') as Json)).to.include(
      'unknown member "__proto__"',
    )
    expect(refused('money', { Amount: 1, Currency: 'constructor' })).to.include('not an ISO 4217 code')
  })
})

describe('choices', () => {
  const choices = ['New', 'Renewal']
  it('are suggestions, unless the definition is strict', () => {
    expect(taken('choice', 'Sublet', { choices })).to.equal('Sublet')
    expect(taken('choice', 'New', { choices, strict: true })).to.equal('New')
    expect(refused('choice', 'Sublet', { choices, strict: true })).to.equal('must be one of New, Renewal')
    expect(refused('choice', 'new', { choices, strict: true })).to.include('must be one of')
    expect(refused('choice', ['New'], { choices })).to.equal('must be text')
  })
})

describe('lookups, e-mail addresses and URLs', () => {
  it('take what has their form', () => {
    expect(taken('lookup', tenantKey)).to.equal(tenantKey)
    for (const email of ['a@b.nl', "o'brien+tag@sub.example.com", 'zoë@bücher.example'])
      expect(taken('email', email)).to.equal(email)
    for (const url of ['https://example.com', 'http://localhost:3000/a?b=c#d', 'HTTPS://EXAMPLE.COM/é'])
      expect(taken('url', url)).to.equal(url)
  })

  it('refuse what has not', () => {
    const otherKey = tenantKey.replace('tenant', 'building')
    for (const value of [otherKey, 'tenant-1', '', 7, { Id: tenantKey }, [tenantKey], ` ${tenantKey}`])
      expect(refused('lookup', value)).to.equal('must be the Key of a tenant, as text: tenant-…')
    for (const email of [
      '',
      'a',
      '@b.nl',
      'a@',
      'a@b',
      'a@b.',
      'a@.nl',
      'a b@c.nl',
      'a@b@c.nl',
      'a@b.nl\n',
      '<a@b.nl>',
      'a@b.nl\u200b',
      '\u2066a@b.nl',
      'a\u00ad@b.nl',
      'a@b\u202e.nl',
      'a\u0007@b.nl',
      'a\ufeff@b.nl',
    ])
      expect(refused('email', email), email).to.equal('must be an e-mail address')
    for (const url of [
      '',
      'example.com',
      '//example.com',
      'javascript:alert(1)',
      'ftp://a.nl',
      'http://',
      'http://a b.nl',
    ])
      expect(refused('url', url), url).to.equal('must be an http or https URL')
    expect(refused('email', `${'a'.repeat(250)}@b.nl`)).to.include('longer than 254')
    expect(refused('url', `https://a.nl/${'x'.repeat(2_040)}`)).to.include('longer than 2048')
  })
})

describe('json', () => {
  it('is kept as it is', () => {
    const value = { a: [1, null, { b: 'ü' }], '': false, $gt: 1 }
    expect(taken('json', value)).to.deep.equal(value)
  })

  it('holds no text that cannot be stored, however deep, and no __proto__', () => {
    for (const value of [{ a: [{ b: 'x\0' }] }, { 'a\0': 1 }, [['\ud83d']], { '\ud83d': 1 }])
      expect(refused('json', value)).to.include('cannot be stored')
    expect(refused('json', JSON.parse('{"a":[{"__proto__":{"b":1}}]}') as Json)).to.include(
      'cannot be stored',
    )
  })
})

describe('a field of any type', () => {
  const anyText = fc.oneof(fc.string(), fc.string({ unit: 'binary' }))
  const anyDay = fc
    .integer({ min: 0, max: 40_000 })
    .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10))
  const anyJson = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json)
  /** What may well be meant for some field, beside what is meant for none. */
  const anyValue: fc.Arbitrary<Json> = fc.oneof(
    anyText,
    fc.double(),
    fc.integer(),
    fc.constantFrom(-0, 2 ** 53, 1e21, 0.1, 1250.55),
    fc.boolean(),
    anyDay,
    anyDay.map((day) => `${day}T23:59:59+05:30`),
    fc.record({
      Amount: fc.oneof(
        fc.double(),
        fc.integer().map((cents) => cents / 100),
      ),
      Currency: fc.constantFrom('EUR', 'JPY', 'KWD', 'eur', ''),
    }),
    fc.uint8Array({ minLength: 16, maxLength: 16 }).map((bytes) => keyOf('tenant', bytes)),
    fc.emailAddress(),
    fc.webUrl(),
    anyJson,
  )
  const anyField = fc.record({
    type: fc.constantFrom(...TYPES),
    minimum: fc.constantFrom(undefined, 0, -5),
    maximum: fc.constantFrom(undefined, 1_000),
    maxLength: fc.constantFrom(undefined, 10),
    strict: fc.boolean(),
    choices: fc.constantFrom(undefined, ['New', 'a']),
  })

  it('takes a value that reads back as itself, also from JSON, or says what is wrong: nothing else happens', () => {
    const counts = { taken: 0, refused: 0 }
    fc.assert(
      fc.property(anyField, anyValue, ({ type, ...rest }, sent) => {
        const of = field(type, definedOnly(rest))
        const value = type === 'json' ? (JSON.parse(JSON.stringify(sent)) as Json) : sent
        fc.pre(value !== null)
        const read = readValue(of, value)
        if (read instanceof ValueFault) {
          counts.refused++
          expect(read.message).to.match(/^(must|has|is|holds|needs) ./)
          expect(read.message.length).to.be.lessThan(200)
          return
        }
        counts.taken++
        expect(read).to.not.equal(null)
        expect(readValue(of, read)).to.deep.equal(read)
        expect(JSON.parse(JSON.stringify(read))).to.deep.equal(read)
      }),
      { numRuns: 3_000 },
    )
    expect(Math.min(counts.taken, counts.refused)).to.be.greaterThan(300)
  })
})

function definedOnly(rest: { readonly [name: string]: unknown }): Partial<FieldDefinition> {
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
}
