/** Packs of rows: the form that is stored for ever, and the Keys that lead into it. */
import { expect } from 'chai'
import * as fc from 'fast-check'
import { streamOf } from '../../../src/domain/events/stream-name.ts'
import {
  creationOrder,
  isPack,
  packData,
  packKeyOf,
  rowIn,
  rowKeyOf,
  rowPlaceOf,
  unpacked,
  versionBefore,
} from '../../../src/domain/events/packs.ts'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { keyOf, objectOfKey, uuid7 } from '../../../src/domain/records/key.ts'
import { newEvent } from '../../support/events.ts'
import { sampleDefinition } from '../../support/sample-definitions.ts'

const keys = fc
  .tuple(fc.nat(2 ** 40), fc.uint8Array({ minLength: 10, maxLength: 10 }))
  .map(([at, random]) => keyOf('reading', uuid7(at, random)))

const packOf = (stream: string, rows: readonly (Fields | undefined)[]): RecordedEvent => ({
  ...newEvent({
    company: 'company-1',
    type: 'reading.packed',
    data: JSON.parse(JSON.stringify(packData(rows))) as Fields,
  }),
  ...{ stream, version: 1, position: 7 },
})

describe('packs', () => {
  it('have Keys of their own, which name every row and are taken for no other', () =>
    fc.assert(
      fc.property(keys, fc.integer({ min: 1, max: 500 }), (key, place) => {
        const pack = packKeyOf(key)
        const row = rowKeyOf(pack, place)
        expect(objectOfKey(pack)).to.equal('reading')
        expect(objectOfKey(row)).to.equal('reading')
        expect(rowPlaceOf(row)).to.deep.equal({ pack, place })
        expect(rowPlaceOf(streamOf('company-1', row))?.place).to.equal(place)
        expect([rowPlaceOf(pack), rowPlaceOf(key)]).to.deep.equal([undefined, undefined])
        expect([versionBefore(row), versionBefore(pack), versionBefore(key)]).to.deep.equal([1, 0, 0])
        expect(isPack({ stream: key, type: 'reading.packed' })).to.equal(false)
      }),
    ))

  it('give back the rows that went in, in their places', () => {
    const value = fc.jsonValue({ maxDepth: 2 }).filter((one) => one !== null)
    const row = fc.dictionary(fc.constantFrom('A', 'B', 'Cc', 'Value'), value)
    fc.assert(
      fc.property(keys, fc.array(fc.option(row, { nil: undefined }), { maxLength: 30 }), (key, given) => {
        const rows = JSON.parse(JSON.stringify(given.map((one) => one ?? null))) as (Fields | null)[]
        const pack = packOf(
          packKeyOf(key),
          rows.map((one) => one ?? undefined),
        )
        const out = unpacked(pack)
        expect(out.map(({ data }) => data)).to.deep.equal(rows.filter((one) => one))
        for (const [index, one] of rows.entries())
          expect(rowIn(pack, index + 1)?.data).to.deep.equal(one ?? undefined)
        expect(new Set(out.map(({ id }) => id))).to.have.property('size', out.length)
        for (const { type, version, position } of out)
          expect([type, version, position]).to.deep.equal(['reading.created', 1, 7])
      }),
    )
  })

  it('are refused in another form, and left alone when they cannot be read', () => {
    const pack = packOf(packKeyOf(keyOf('reading', uuid7(1, new Uint8Array(10)))), [{ A: 1 }])
    const broken = { ...pack, data: { Fields: ['A'], Rows: [[1, 2]] } }
    expect(() => unpacked(broken)).to.throw('is not a pack of rows')
    const unreadable = { ...broken, unreadable: 'why' }
    expect(unpacked(unreadable)).to.deep.equal([unreadable])
    const other = { ...pack, type: 'reading.updated' }
    expect(unpacked(other)).to.deep.equal([other])
  })

  it('number their rows between the records before and after', () => {
    const definition = { ...sampleDefinition('tenant'), appendOnly: true as const }
    const pack = packKeyOf(keyOf('tenant', uuid7(1, new Uint8Array(10))))
    const order = [
      creationOrder(definition, keyOf('tenant', uuid7(1, new Uint8Array(10))), 6),
      ...[1, 2, 500].map((place) => creationOrder(definition, rowKeyOf(pack, place), 7)),
      creationOrder(definition, keyOf('tenant', uuid7(2, new Uint8Array(10))), 8),
    ]
    expect(order).to.deep.equal(order.toSorted((one, other) => one - other))
    expect(new Set(order).size).to.equal(5)
  })

  it('number their rows before all others where the definition is no longer append-only', () => {
    const definition = sampleDefinition('tenant')
    const [one, other] = [1, 2].map((at) => packKeyOf(keyOf('tenant', uuid7(at, new Uint8Array(10)))))
    const order = [
      ...[1, 500].map((place) => creationOrder(definition, rowKeyOf(one!, place), 7)),
      creationOrder(definition, rowKeyOf(other!, 1), 8),
      creationOrder(definition, keyOf('tenant', uuid7(2, new Uint8Array(10))), 6),
    ]
    expect(order).to.deep.equal(order.toSorted((first, second) => first - second))
    expect(new Set(order).size).to.equal(4)
    expect(order.every(Number.isSafeInteger)).to.equal(true)
  })
})
