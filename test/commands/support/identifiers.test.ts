import { expect } from 'chai'
import fc from 'fast-check'
import { derivedId, derivedKey, eventId, identifiers } from '../../../src/commands/support/identifiers.ts'
import { isKeyOf } from '../../../src/domain/records/key.ts'
import { manualClock } from '../../support/write-side.ts'

const UUID_5 = /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('new Keys', () => {
  it('are Keys, each another, in the order in which they are made', () => {
    const clock = manualClock()
    const { newKey } = identifiers(clock)
    const keys = Array.from({ length: 10_000 }, (_, index) => {
      if (index % 1_000 === 999) clock.pass(1)
      return newKey('contract')
    })
    expect(keys.every((key) => isKeyOf('contract', key))).to.equal(true)
    expect(new Set(keys).size).to.equal(keys.length)
    expect(keys.toSorted()).to.deep.equal(keys)
  })

  it('keep their order when the clock stands, jumps or goes back', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 100 }), (jumps) => {
        const clock = manualClock()
        const { newKey } = identifiers(clock)
        const keys = jumps.map((jump) => {
          clock.pass(jump)
          return newKey('unit')
        })
        expect(keys.toSorted()).to.deep.equal(keys)
        expect(new Set(keys).size).to.equal(keys.length)
      }),
    )
  })

  it('are others in another process at the same moment', () => {
    const clock = manualClock()
    const [one, other] = [identifiers(clock), identifiers(clock)]
    const keys = Array.from({ length: 1_000 }, () => [one.newKey('unit'), other.newKey('unit')]).flat()
    expect(new Set(keys).size).to.equal(keys.length)
  })
})

describe('ids that are derived', () => {
  it('are UUIDs of version 5, the same for the same name and others for others', () =>
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        expect(derivedId(one)).to.match(UUID_5)
        expect(derivedId(one) === derivedId(other)).to.equal(one === other)
      }),
    ))

  it('are one for each event of each stream that a command appends', () => {
    const ids = ['c-1', 'c-2'].flatMap((command) =>
      ['s-1', 's-2'].flatMap((stream) => [0, 1].map((index) => eventId(command, stream, index))),
    )
    expect(new Set(ids).size).to.equal(8)
    expect(eventId('c-1', 's-1', 0)).to.equal(ids[0])
  })

  it('are the Key of the record that a repeatable command creates', () => {
    const at = Date.parse('2026-03-01T09:30:00Z')
    const key = derivedKey('contract', 'command-1', at)
    expect(isKeyOf('contract', key)).to.equal(true)
    expect(derivedKey('contract', 'command-1', at)).to.equal(key)
    expect(derivedKey('contract', 'command-2', at)).to.not.equal(key)
    expect(derivedKey('contract', 'command-1', at + 1) > key).to.equal(true)
  })
})
