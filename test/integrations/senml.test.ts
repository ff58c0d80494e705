/** Sensor Measurement Lists, by the examples of RFC 8428 and by lists that nobody thought of. */
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Json } from '../../src/domain/json.ts'
import { MOST_RECORDS, resolveSenml, type Resolved } from '../../src/integrations/receive/senml.ts'

const NOW = Date.parse('2026-01-31T10:00:00Z')
const readings = (list: Json) =>
  (resolveSenml(list, NOW) as { readonly readings: readonly Resolved[] } | undefined)?.readings

describe('SenML', () => {
  it('resolves base values, as the standard shows it', () => {
    const list = [
      {
        bn: 'urn:dev:ow:10e2073a0108006:',
        bt: 1.276020076001e9,
        bu: 'A',
        bver: 5,
        n: 'voltage',
        u: 'V',
        v: 120.1,
      },
      { n: 'current', t: -5, v: 1.2 },
      { n: 'current', v: 1.7 },
    ]
    const [voltage, before, current] = readings(list)!
    expect(voltage).to.deep.equal({
      ...{
        name: 'urn:dev:ow:10e2073a0108006:voltage',
        device: 'urn:dev:ow:10e2073a0108006',
        measure: 'voltage',
      },
      ...{ unit: 'V', value: 120.1, text: null, sum: null, time: '2010-06-08T18:01:16.001Z' },
    })
    expect(before).to.include({ unit: 'A', value: 1.2, time: '2010-06-08T18:01:11.001Z' })
    expect(current).to.include({ measure: 'current', value: 1.7, time: '2010-06-08T18:01:16.001Z' })
  })

  it('counts small times from now, and keeps texts and truth apart', () => {
    const list = [
      { bn: 'urn:dev:mac:0024befffe804ff1/', n: 'door', vb: true },
      { n: 'temp', t: -60, v: 20 },
      { n: 'label', vs: 'Machine Room' },
      { n: 'meter', s: 12 },
    ]
    const resolved = resolveSenml(list, NOW) as unknown as { readings: Resolved[]; others: Resolved[] }
    expect(resolved.readings.map(({ value, time }) => [value, time])).to.deep.equal([
      [1, '2026-01-31T10:00:00.000Z'],
      [20, '2026-01-31T09:59:00.000Z'],
    ])
    expect(resolved.others.map(({ text, sum }) => [text, sum])).to.deep.equal([
      ['Machine Room', null],
      [null, 12],
    ])
    expect(readings([{ n: 'urn:dev:ow:1', v: 1 }])![0]).to.include({ device: 'urn:dev:ow:1', measure: null })
    expect(
      readings([
        { bn: 'a', bv: 20, v: 1.5 },
        { n: 'b', v: -1 },
      ])!.map(({ value }) => value),
    ).to.deep.equal([21.5, 19])
  })

  it('does not guess what it does not know', () => {
    const wrong: readonly Json[] = [
      {},
      [],
      'x',
      [1],
      [{ n: 'a', v: '1' }],
      [{ n: 'a', v: 1, vs: 'x' }],
      [{ n: 'a', v: 1, new_: 1 }],
      [{ n: 'a', v: 1, bver: 11 }],
      [{ v: 1 }],
      [{ n: '/a', v: 1 }],
      [{ n: 'a', t: 1e15, v: 1 }],
      Array.from({ length: MOST_RECORDS + 1 }, () => ({ n: 'a', v: 1 })),
    ]
    for (const one of wrong)
      expect(resolveSenml(one, NOW), JSON.stringify(one).slice(0, 50)).to.equal(undefined)
  })

  it('comes out the same when every record says all of itself', () => {
    const record = fc.record(
      {
        ...{ bn: fc.constantFrom('a/', 'dev:1:'), n: fc.constantFrom('x', 'y1'), v: fc.integer() },
        ...{
          bt: fc.integer({ min: 2 ** 28, max: 2 ** 32 }),
          bu: fc.constant('Cel'),
          t: fc.integer({ min: -9, max: 9 }),
        },
      },
      { requiredKeys: ['n', 'v'] },
    )
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 20 }), (list) => {
        const [first, ...rest] = list
        const all = [{ ...first!, bn: 'dev:0:', bt: 2 ** 30 }, ...rest] as Json
        const told = readings(all)!
        const whole = told.map(({ name, unit, value, time }) => ({
          ...{ n: name, v: value, t: Date.parse(time) / 1_000 },
          ...(unit !== null && { u: unit }),
        }))
        const again = readings(whole)!
        const plain = ({ name, unit, value, time }: Resolved) => [name, unit, value, time]
        expect(again.map(plain)).to.deep.equal(told.map(plain))
      }),
    )
  })
})
