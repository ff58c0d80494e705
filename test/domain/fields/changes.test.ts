import { expect } from 'chai'
import fc from 'fast-check'
import { readChanges, ruleFaults, withDerived, type Writing } from '../../../src/domain/fields/changes.ts'
import type { ObjectDefinition } from '../../../src/domain/definition.ts'
import { Invalid } from '../../../src/domain/errors.ts'
import type { Fields, Json } from '../../../src/domain/json.ts'
import { mergeFields } from '../../../src/domain/records/record.ts'
import { sampleDefinition } from '../../support/sample-definitions.ts'

const contract = sampleDefinition('contract')
const rent = { Amount: 1250.5, Currency: 'EUR' }

const read = (writing: Writing, body: Json, current: Fields = {}) =>
  readChanges({ definition: contract, body, writing, current })
const put = (body: Json, current?: Fields) => read('replace', body, current)
const patch = (body: Json, current?: Fields) => read('merge', body, current)
const json = (text: string): Json => JSON.parse(text) as Json

describe('the changes that a body asks for', () => {
  it('are the canonical values of the fields that it names, and of no others', () => {
    const body = { MonthlyRent: rent, SignedAt: '2026-03-01T10:00:00+01:00', Notes: '' }
    for (const writing of ['replace', 'merge'] as const)
      expect(read(writing, body, { Duration: 12 })).to.deep.equal({
        changes: { MonthlyRent: rent, SignedAt: '2026-03-01T09:00:00Z', Notes: '' },
        faults: [],
      })
  })

  it('clear what is null, of every type', () => {
    const body = { MonthlyRent: null, Tenant: null, Terms: null, Duration: null }
    const current = { MonthlyRent: rent, Terms: { a: 1 }, Duration: 12 }
    expect(put(body, current).changes).to.deep.equal(body)
    expect(patch(body, current).changes).to.deep.equal(body)
  })

  it('never clear the state of a workflow', () => {
    for (const { changes, faults } of [put({ Status: null }), patch({ Status: null })])
      expect([changes, faults]).to.deep.equal([{}, [{ Field: 'Status', Message: 'always has a value' }]])
  })

  it('are nothing for an empty body', () => expect(patch({})).to.deep.equal({ changes: {}, faults: [] }))

  it('come with every fault, each named as the caller wrote it', () => {
    const body = {
      Id: 'contract-1',
      Duration: 'twelve',
      ContractNumber: 'CON-2026-0001',
      monthlyRent: rent,
      Notes: 'kept',
      CreatedAt: null,
      MonthlyRent: { Amount: 1 },
    }
    const { changes, faults } = put(body)
    expect(changes).to.deep.equal({ Notes: 'kept' })
    expect(faults).to.deep.equal([
      { Field: 'Id', Message: 'is assigned by the service' },
      { Field: 'Duration', Message: 'must be an integer' },
      { Field: 'ContractNumber', Message: 'is assigned by the service' },
      { Field: 'monthlyRent', Message: 'contract has no such field; did you mean MonthlyRent?' },
      { Field: 'CreatedAt', Message: 'is assigned by the service' },
      { Field: 'MonthlyRent', Message: 'needs Currency, a code such as EUR' },
    ])
  })

  it('do not take what every object inherits for a field', () => {
    const body = json('{"__proto__":{"Notes":"x"},"constructor":1,"toString":null,"$set":{"Notes":"x"}}')
    const { changes, faults } = patch(body)
    expect(changes).to.deep.equal({})
    expect(faults.map(({ Field }) => Field)).to.deep.equal(['__proto__', 'constructor', 'toString', '$set'])
    expect(Object.getPrototypeOf(changes)).to.equal(Object.prototype)
  })

  it('name a field that is not there by its first hundred characters', () =>
    expect(put({ ['X'.repeat(5_000)]: 1 }).faults[0]?.Field).to.equal('X'.repeat(100)))

  it('are asked for by a JSON object and by nothing else', () => {
    for (const body of [null, [], [{ Notes: 'x' }], 'Notes', 1, true])
      expect(() => put(body)).to.throw(Invalid, 'The body must be a JSON object.')
  })
})

describe('PUT and PATCH of values with members', () => {
  const terms = { Pets: { Cats: 1, Dogs: 2 }, Keys: [1, 2] }

  it('PUT replaces the value whole', () => {
    expect(put({ Terms: { Pets: { Cats: 3 } } }, { Terms: terms }).changes).to.deep.equal({
      Terms: { Pets: { Cats: 3 } },
    })
    expect(put({ MonthlyRent: { Amount: 99 } }, { MonthlyRent: rent }).faults).to.deep.equal([
      { Field: 'MonthlyRent', Message: 'needs Currency, a code such as EUR' },
    ])
  })

  it('PUT keeps null inside json, which is a value like another', () =>
    expect(put({ Terms: { Pets: null } }).changes).to.deep.equal({ Terms: { Pets: null } }))

  it('PATCH merges, and null takes a member away', () => {
    expect(patch({ MonthlyRent: { Amount: 99 } }, { MonthlyRent: rent }).changes).to.deep.equal({
      MonthlyRent: { Amount: 99, Currency: 'EUR' },
    })
    expect(
      patch({ Terms: { Pets: { Cats: null, Fish: 1 }, Keys: [3] } }, { Terms: terms }).changes,
    ).to.deep.equal({
      Terms: { Pets: { Dogs: 2, Fish: 1 }, Keys: [3] },
    })
  })

  it('PATCH refuses money that has lost a member', () => {
    expect(patch({ MonthlyRent: { Currency: null } }, { MonthlyRent: rent }).faults[0]?.Message).to.equal(
      'needs Currency, a code such as EUR',
    )
    expect(patch({ MonthlyRent: { Amount: 99 } }, {}).faults[0]?.Message).to.equal(
      'needs Currency, a code such as EUR',
    )
  })

  it('PATCH checks what the value has become: cents are no yen', () =>
    expect(patch({ MonthlyRent: { Currency: 'JPY' } }, { MonthlyRent: rent }).faults[0]?.Message).to.include(
      'more digits than JPY keeps',
    ))

  it('PATCH answers the examples of RFC 7396', () => {
    const examples: [target: string, patch: string, result: string][] = [
      ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
      ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
      ['{"a":"b"}', '{"a":null}', '{}'],
      ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
      ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
      ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
      ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
      ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
      ['["a","b"]', '["c","d"]', '["c","d"]'],
      ['{"a":"b"}', '["c"]', '["c"]'],
      ['{"a":"foo"}', '"bar"', '"bar"'],
      ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
      ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
      ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ]
    for (const [target, change, result] of examples)
      expect(
        patch({ Terms: json(change) }, { Terms: json(target) }).changes,
        `${target} + ${change}`,
      ).to.deep.equal({
        Terms: json(result),
      })
  })

  it('PATCH takes a field without a value for an empty one: null leaves nothing behind', () =>
    expect(patch({ Terms: { Pets: { Cats: null, Dogs: 1 } } }, {}).changes).to.deep.equal({
      Terms: { Pets: { Dogs: 1 } },
    }))

  it('PATCH refuses a member called __proto__ as PUT does', () => {
    const body = { Terms: json('{"Pets":{"__proto__":{"Cats":1}}}') }
    for (const faults of [put(body).faults, patch(body, { Terms: terms }).faults])
      expect(faults.map(({ Field }) => Field)).to.deep.equal(['Terms'])
  })

  it('PATCH merges as the RFC says, for any JSON', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'constructor', 'toString')
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<Json>(null, 1, 'x', true),
        fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
        fc.array(tie('value'), { maxLength: 2 }),
      ),
    }))
    fc.assert(
      fc.property(fc.option(value), value, (current, change) => {
        fc.pre(change !== null)
        const { changes, faults } = patch({ Terms: change }, current === null ? {} : { Terms: current })
        expect(faults).to.deep.equal([])
        expect(changes['Terms']).to.deep.equal(rfc7396(current, change))
      }),
      { numRuns: 500 },
    )
  })
})

describe('a date that is worked out', () => {
  const derived = (current: Fields, changes: Fields) =>
    mergeFields(current, withDerived(contract, current, changes))['EndDate']
  const span = { StartDate: '2027-01-01', Duration: 12 }

  it('is there as soon as both it needs are', () => {
    expect(derived({}, span)).to.equal('2027-12-31')
    expect(derived({ StartDate: '2027-01-01' }, { Duration: 6 })).to.equal('2027-06-30')
    expect(derived({}, { Duration: 12 })).to.equal(undefined)
    expect(derived({}, { StartDate: '2027-01-01' })).to.equal(undefined)
  })

  it('is not worked out when one is given', () => {
    expect(derived({}, { ...span, EndDate: '2027-06-15' })).to.equal('2027-06-15')
    expect(derived({ ...span, EndDate: '2027-12-31' }, { EndDate: null })).to.equal(undefined)
  })

  it('follows what it was worked out from', () => {
    const current = { ...span, EndDate: '2027-12-31' }
    expect(derived(current, { Duration: 24 })).to.equal('2028-12-31')
    expect(derived(current, { StartDate: '2027-02-01' })).to.equal('2028-01-31')
    expect(derived(current, { StartDate: '2027-02-01', Duration: 1 })).to.equal('2027-02-28')
  })

  it('comes back with the next change of what it is derived from after it was cleared', () => {
    expect(derived({ ...span }, { Duration: 24 })).to.equal('2028-12-31')
    expect(derived({ ...span }, { Notes: 'x' })).to.equal(undefined)
  })

  it('stays when someone chose it', () => {
    const current = { ...span, EndDate: '2027-06-15' }
    expect(derived(current, { Duration: 24 })).to.equal('2027-06-15')
    expect(derived(current, { StartDate: '2027-02-01' })).to.equal('2027-06-15')
  })

  it('goes with what it was worked out from, unless someone chose it', () => {
    for (const cleared of [{ Duration: null }, { StartDate: null }]) {
      expect(derived({ ...span, EndDate: '2027-12-31' }, cleared)).to.equal(undefined)
      expect(derived({ ...span, EndDate: '2027-06-15' }, cleared)).to.equal('2027-06-15')
    }
    expect(derived({ ...span }, { Duration: null })).to.equal(undefined)
  })

  it('is no change when nothing that it needs changes', () => {
    const changes = { Notes: 'x' }
    expect(withDerived(contract, { ...span, EndDate: '2027-12-31' }, changes)).to.equal(changes)
  })
})

describe('the rules of a whole record', () => {
  const rules = (before: Fields | undefined, after: Fields, today?: string, definition = guarded) =>
    ruleFaults({ definition, before, after, today }).map(({ Field, Message }) => `${Field} ${Message}`)
  const guarded: ObjectDefinition = {
    ...contract,
    fields: contract.fields.map((field) =>
      field.name === 'StartDate' ? { ...field, afterTodayOnCreate: true } : field,
    ),
  }
  const whole = { MonthlyRent: rent, StartDate: '2027-01-01' }

  it('name each required field that a create leaves out', () => {
    expect(rules(undefined, {})).to.deep.equal(['MonthlyRent is required', 'StartDate is required'])
    expect(rules(undefined, whole)).to.deep.equal([])
  })

  it('name a required field that a change clears, and not one that was never there', () => {
    expect(rules(whole, { StartDate: '2027-01-01' })).to.deep.equal(['MonthlyRent is required'])
    expect(rules({}, { Notes: 'x' })).to.deep.equal([])
  })

  it('take text without a visible character for none, where one is required', () => {
    const named: ObjectDefinition = {
      ...contract,
      fields: [
        { name: 'Name', type: 'text', required: true },
        { name: 'Notes', type: 'text' },
      ],
    }
    for (const Name of ['', ' ', '\t\r\n', '\u00a0\u2003\u3000'])
      expect(rules(undefined, { Name, Notes: '' }, undefined, named), JSON.stringify(Name)).to.deep.equal([
        'Name is required',
      ])
    expect(rules(undefined, { Name: ' x ', Notes: ' ' }, undefined, named)).to.deep.equal([])
    expect(rules({ Name: '' }, { Name: '', Notes: 'x' }, undefined, named), 'one from before').to.deep.equal(
      [],
    )
  })

  it('never ask a caller for what only the service assigns', () => {
    const numbered: ObjectDefinition = {
      ...contract,
      fields: [{ name: 'ContractNumber', type: 'text', readOnly: true, required: true }],
    }
    expect(rules(undefined, {}, undefined, numbered)).to.deep.equal([])
  })

  it('want a date after the day of the create, on create only', () => {
    const early = 'StartDate must be in the future (after 2026-03-01)'
    expect(rules(undefined, { ...whole, StartDate: '2026-03-02' }, '2026-03-01')).to.deep.equal([])
    for (const StartDate of ['2026-03-01', '2025-12-31'])
      expect(rules(undefined, { ...whole, StartDate }, '2026-03-01')).to.deep.equal([early])
    expect(rules(undefined, { ...whole, StartDate: '2020-01-01' })).to.deep.equal([])
  })

  it('want no date before the one that it follows, and only of a write that touches either', () => {
    const [ordered, early] = [
      { ...whole, EndDate: '2027-01-01' },
      { ...whole, EndDate: '2026-12-31' },
    ]
    expect(rules(undefined, ordered)).to.deep.equal([])
    expect(rules(undefined, early)).to.deep.equal(['EndDate must not be before StartDate'])
    expect(rules(ordered, { ...ordered, StartDate: '2027-02-01' })).to.deep.equal([
      'EndDate must not be before StartDate',
    ])
    expect(rules(early, { ...early, Notes: 'x' })).to.deep.equal([])
  })
})

/** The pseudocode of RFC 7396. */
function rfc7396(target: Json | undefined, change: Json): Json {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change
  const result = new Map<string, Json>(
    typeof target === 'object' && target !== null && !Array.isArray(target) ? Object.entries(target) : [],
  )
  for (const [name, value] of Object.entries(change as Fields))
    if (value === null) result.delete(name)
    else result.set(name, rfc7396(result.get(name), value))
  return Object.fromEntries(result)
}
