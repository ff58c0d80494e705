/** Bodies of requests: what is said of faults, and that the description of a body is what it is read by. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import fc from 'fast-check'
import { z } from 'zod'
import { described } from '../../src/api/openapi/described.ts'
import { Invalid } from '../../src/domain/errors.ts'
import { readBody } from '../../src/shapes/body.ts'
import { text } from '../../src/shapes/text.ts'

const booking = z.strictObject({
  Name: text(5, 1),
  Note: text(3).nullable().exactOptional(),
  Guests: z
    .array(z.strictObject({ Age: z.int().min(0) }))
    .max(2)
    .exactOptional(),
})

const faultsIn = (body: unknown): string[] => {
  try {
    readBody(booking, body, 'The booking is not valid.')
    return []
  } catch (error) {
    expect(error).to.be.instanceOf(Invalid)
    return (error as Invalid).faults.map(({ Field, Message }) => `${Field}: ${Message}`)
  }
}

describe('a body', () => {
  it('has every fault named at its field, and unknown members by what is taken instead', () => {
    expect(faultsIn({ Guests: [{ Age: 4 }, { Age: -1, Nmae: 1 }], Nmae: 'x' })).to.have.members([
      'Guests[1].Age: must be at least 0',
      'Guests[1].Nmae: is unknown or assigned by the service; it takes Age',
      'Nmae: is unknown or assigned by the service; it takes Name, Note, Guests; did you mean Name?',
    ])
  })

  for (const body of [undefined, null, [], 'x', 1])
    it(`must be an object, not ${JSON.stringify(body)}`, () =>
      expect(faultsIn(body)).to.deep.equal([': must be a JSON object']))

  it('counts characters as people do', () => {
    expect(faultsIn({ Name: '🏠🏠🏠🏠🏠' })).to.deep.equal([])
    expect(faultsIn({ Name: '🏠🏠🏠🏠🏠🏠' })).to.deep.equal(['Name: is longer than 5 characters'])
    expect(faultsIn({ Name: '' })).to.deep.equal(['Name: must not be empty'])
  })

  it('is taken exactly when it fits its description', () => {
    const fits = new Ajv2020().compile(described(booking))
    const value = fc.oneof(fc.string(), fc.constant('🏠🏠🏠'), fc.integer(), fc.constant(null), fc.boolean())
    const guest = fc.record({ Age: fc.oneof(fc.integer(), fc.double()), Other: value }, { requiredKeys: [] })
    const body = fc.record(
      { Name: value, Note: value, Guests: fc.oneof(fc.array(guest), value), Other: value },
      { requiredKeys: [] },
    )
    fc.assert(fc.property(body, (one) => (faultsIn(one).length === 0) === fits(one)))
  })

  it('is described with one type where null is taken', () => {
    expect(described(booking).properties?.['Note']).to.deep.equal({ type: ['string', 'null'], maxLength: 3 })
  })
})
