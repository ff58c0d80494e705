/** Values and changes that payloads mean. */
import { expect } from 'chai'
import * as fc from 'fast-check'
import { decimalsOf } from '../../src/domain/fields/money.ts'
import type { Json } from '../../src/domain/json.ts'
import { expression } from '../../src/integrations/definition/expression-schema.ts'
import { received } from '../../src/integrations/definition/receive-schema.ts'
import { evaluate, isSought } from '../../src/integrations/mapping/evaluate.ts'
import { valueAt } from '../../src/integrations/mapping/path.ts'
import { changesOf, messagesOf } from '../../src/integrations/mapping/plan.ts'
import { Unmappable } from '../../src/integrations/mapping/unmappable.ts'

const made = (file: unknown, payload: Json) =>
  evaluate(expression.parse(file), { item: payload, root: payload })

describe('a path', () => {
  it('leads through objects and lists, from the item or from the payload', () => {
    const root = { list: [{ id: 1 }, { id: 2 }], name: 'n' }
    expect(valueAt('list.1.id', root)).to.equal(2)
    expect(valueAt('$.name', root.list[0], root)).to.equal('n')
    expect(valueAt('$', root.list[0], root)).to.equal(root.list[0])
    expect(valueAt('list.2.id', root)).to.equal(undefined)
    expect(valueAt('name.length', root)).to.equal(undefined)
  })

  it('leads to own members only, whatever it is', () => {
    for (const path of ['constructor', 'constructor.name', '__proto__', 'toString', 'a.constructor'])
      expect(valueAt(path, { a: {} }), path).to.equal(undefined)
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (path, value) => {
        expect(() => valueAt(path, value as Json)).not.to.throw()
      }),
    )
  })
})

describe('money', () => {
  it('in the smallest unit has the decimals of its currency, exactly', () => {
    const minor = (amount: Json, currency: string) =>
      made({ minor: 'a', currency: 'c' }, { a: amount, c: currency })
    expect(minor(120050, 'eur')).to.deep.equal({ Amount: 1200.5, Currency: 'EUR' })
    expect(minor('1200', 'JPY')).to.deep.equal({ Amount: 1200, Currency: 'JPY' })
    expect(minor(-5, 'KWD')).to.deep.equal({ Amount: -0.005, Currency: 'KWD' })
    for (const amount of [1.5, '1.5', '1e3', '', true, {}, 1e16])
      expect(() => minor(amount, 'EUR'), JSON.stringify(amount)).to.throw(Unmappable)
    expect(() => minor(1, 'XXQ')).to.throw(Unmappable, 'is not a currency')
    fc.assert(
      fc.property(
        fc.integer({ min: -1e12, max: 1e12 }),
        fc.constantFrom('EUR', 'JPY', 'KWD'),
        (amount, code) => {
          const value = minor(amount, code) as { Amount: number }
          expect(Math.round(value.Amount * 10 ** decimalsOf(code)!)).to.equal(amount)
        },
      ),
    )
  })

  it('in decimals is exact or refused', () => {
    const money = (amount: Json) => made({ money: 'a', currency: { value: 'EUR' } }, { a: amount })
    expect(money('12.50')).to.deep.equal({ Amount: 12.5, Currency: 'EUR' })
    expect(money(null)).to.equal(null)
    expect(made({ money: 'b', currency: { value: 'EUR' } }, {})).to.equal(undefined)
    for (const amount of ['12.505', '1,5', '12345678901234.56', 'NaN'])
      expect(() => money(amount)).to.throw(Unmappable)
  })
})

describe('times', () => {
  it('come from seconds, milliseconds, ISO 8601 and .NET', () => {
    expect(made({ unix: 'a' }, { a: 1_893_456_000 })).to.equal('2030-01-01T00:00:00Z')
    expect(made({ unix: 'a', unit: 'ms' }, { a: '1893456000999' })).to.equal('2030-01-01T00:00:00Z')
    expect(made({ iso: 'a' }, { a: '2030-01-01T01:00:00.123+01:00' })).to.equal('2030-01-01T00:00:00Z')
    expect(made({ iso: 'a', zone: '+01:00' }, { a: '2030-01-01 01:00:00' })).to.equal('2030-01-01T00:00:00Z')
    expect(made({ iso: 'a' }, { a: '/Date(1518685950940+0000)/' })).to.equal('2018-02-15T09:12:30Z')
    expect(made({ date: 'a' }, { a: '2030-01-01T23:59:59-11:00' })).to.equal('2030-01-01')
    for (const a of ['2030-02-30T00:00:00Z', '2030-01-01T01:00:00', 'soon', {}])
      expect(() => made({ iso: 'a' }, { a }), JSON.stringify(a)).to.throw(Unmappable)
    expect(made({ unix: 'a' }, { a: -62_135_596_800 })).to.equal('0001-01-01T00:00:00Z')
    for (const a of [-62_135_596_801, 253_402_300_800])
      expect(() => made({ unix: 'a' }, { a }), String(a)).to.throw(Unmappable)
    for (const a of ['2030-02-30', '01/02/2030', '2030-01-01x'])
      expect(() => made({ date: 'a' }, { a })).to.throw()
  })
})

describe('a lookup', () => {
  it('is asked for by the file alone, whatever a payload looks like', () => {
    const file = { lookup: 'tenant', by: 'Email', from: 'mail', missing: 'leave' }
    expect(isSought(made(file, { mail: 'ann@example.com' }))).to.equal(true)
    const forged = {
      sought: { object: 'tenant', field: 'Email', value: 'ann@example.com' },
      take: 'Iban',
      missing: 'leave',
    }
    expect(isSought(made('note', { note: forged }))).to.equal(false)
  })
})

describe('other values', () => {
  it('are chosen, joined, defaulted, cleaned and hashed', () => {
    const payload = { status: 'paid', first: ' Ada ', last: '', mail: 'A@B.no', n: '12.5' }
    const choose = { choose: 'status', from: { paid: 'Received' }, otherwise: null }
    expect(made(choose, payload)).to.equal('Received')
    expect(made(choose, { status: 'constructor' })).to.equal(null)
    expect(made({ join: [{ trim: 'first' }, 'last', 'none'], with: ' ' }, payload)).to.equal('Ada')
    expect(made({ default: ['last', 'none', { value: 'x' }] }, payload)).to.equal('x')
    expect(made({ md5: { lower: 'mail' } }, payload)).to.equal(made({ md5: { value: 'a@b.no' } }, {}))
    expect(made({ md5: { value: 'abc' } }, {})).to.equal('900150983cd24fb0d6963f7d28e17f72')
    expect(made({ number: 'n' }, payload)).to.equal(12.5)
    expect(made({ number: { value: -12.5 }, sign: 'reversed' }, payload)).to.equal(12.5)
    expect(made({ number: { value: ' 0 ' }, sign: 'reversed' }, payload)).to.satisfy(
      (zero: number) => zero === 0,
    )
    for (const amount of [28.5, '28.50', ' 28.5'])
      expect(
        made({ money: { value: amount }, currency: { value: 'EUR' }, sign: 'reversed' }, payload),
      ).to.deep.equal({ Amount: -28.5, Currency: 'EUR' })
    expect(() => made({ number: { value: 'ten' }, sign: 'reversed' }, payload)).to.throw(Unmappable)
    expect(made({ lookup: 'tenant', by: 'Email', from: 'mail' }, payload)).to.deep.include({
      sought: { object: 'tenant', field: 'Email', value: 'A@B.no' },
      missing: 'leave',
    })
  })
})

describe('a message', () => {
  const file = received.parse({
    name: 'events',
    verify: [{ bearer: 'key' }],
    id: 'id',
    at: { unix: '$.created' },
    each: 'items',
    map: [
      {
        when: { type: ['paid', 'settled'] },
        object: 'payment',
        by: { GatewayReference: 'ref' },
        set: {
          Amount: { minor: 'amount', currency: '$.currency' },
          Notes: 'note',
          Method: { value: 'Card' },
        },
      },
      { object: 'tenant', link: 'who', create: false, set: { Phone: 'phone' } },
    ],
  })
  const payload = {
    created: 1_893_456_000,
    currency: 'EUR',
    items: [
      { id: 'e1', type: 'paid', ref: 'r1', amount: 100, who: 7, note: null },
      { id: 'e2', type: 'other', who: 'w' },
    ],
  }

  it('brings the changes of every rule that holds, and says nothing of what the payload leaves out', () => {
    const [first, second] = messagesOf(file, payload, Buffer.from(''))
    expect([first!.id, first!.at, second!.id]).to.deep.equal(['e1', '2030-01-01T00:00:00Z', 'e2'])
    const [paid, seen] = changesOf(file, first!)
    expect(paid).to.deep.include({
      by: { field: 'GatewayReference', value: 'r1' },
      set: { Amount: { Amount: 1, Currency: 'EUR' }, Notes: null, Method: 'Card' },
    })
    expect(seen).to.deep.include({ link: '7', by: undefined, set: {} })
    expect(changesOf(file, second!)).to.have.length(1)
  })

  it('without the Id that it is said to have cannot be mapped', () => {
    expect(() => messagesOf(file, { items: [{}] }, Buffer.from(''))).to.throw(Unmappable, 'Id of the message')
    const [ref] = messagesOf(file, { items: [{ id: 'x', type: 'paid' }] }, Buffer.from(''))
    expect(() => changesOf(file, ref!)).to.throw(Unmappable, 'GatewayReference')
  })
})
