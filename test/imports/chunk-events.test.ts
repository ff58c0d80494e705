/** What is kept of a chunk: all that is needed, nothing of the cells, and never too much for an event store. */
import fc from 'fast-check'
import { expect } from 'chai'
import { Conflict, Forbidden, Invalid, NotFound, TooLarge, Unavailable } from '../../src/domain/errors.ts'
import { packResults, unpackResults } from '../../src/imports/run/chunk-events.ts'
import { rowFaultOf, withoutValues } from '../../src/imports/run/faults.ts'
import type { RowResult } from '../../src/imports/run/outcomes.ts'

describe('results of a chunk', () => {
  const key = 'tenant-01hzzzzzzzzzzzzzzzzzzzzzzz'
  const result: fc.Arbitrary<RowResult> = fc.oneof(
    fc.record({
      row: fc.nat(),
      outcome: fc.constantFrom('Created', 'Updated', 'Unchanged', 'Skipped'),
      key: fc.constant(key),
      version: fc.integer({ min: 1, max: 1_000 }),
    }),
    fc.record({
      row: fc.nat(),
      outcome: fc.constantFrom('Failed' as const, 'Kept' as const),
      fault: fc.record({
        code: fc.constantFrom('VALIDATION_ERROR', 'CONFLICT', 'FORBIDDEN', 'NOT_FOUND'),
        faults: fc.array(
          fc.record({ Field: fc.string({ maxLength: 20 }), Message: fc.string({ maxLength: 40 }) }),
          {
            minLength: 1,
            maxLength: 20,
          },
        ),
      }),
    }),
  )

  it('name the record of a row that an undo has left', () => {
    const fault = { code: 'CONFLICT', faults: [{ Field: 'Name', Message: 'was changed' }] } as const
    const kept: RowResult = { row: 7, outcome: 'Kept', key, version: 3, fault }
    expect(unpackResults(packResults([kept]))).to.deep.equal([kept])
  })

  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.array(result, { maxLength: 50 }), (results) => {
        const stored = JSON.parse(JSON.stringify(packResults(results))) as never
        expect(unpackResults(stored)).to.deep.equal(results)
      }),
    )
  })

  it('stay under 900 KB where 500 rows fail in 20 fields, each with words of its own', () => {
    const results = Array.from({ length: 500 }, (_, row): RowResult => {
      const faults = Array.from({ length: 25 }, (_, i) => ({
        Field: `Field${row}x${i}`.padEnd(100, 'é'),
        Message: `${row} ${i} `.padEnd(200, '€'),
      }))
      return { row, outcome: 'Failed', fault: { code: 'VALIDATION_ERROR', faults } }
    })
    const stored = JSON.stringify(packResults(results))
    expect(Buffer.byteLength(stored)).to.be.lessThan(900_000)
    const read = unpackResults(JSON.parse(stored) as never)
    for (const { fault, more = 0 } of read) expect(fault!.faults.length + more).to.equal(25)
    expect(read[0]!.fault!.faults).to.have.length(20)
  })
})

describe('faults of a row', () => {
  it('quote nothing of it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 60 }), (secret) => {
        const cell = `canary ${secret}`
        expect(
          withoutValues(`has an unknown member ${JSON.stringify(cell)}; it takes Amount`),
        ).not.to.include('canary')
      }),
    )
    expect(withoutValues('there is no tenant tenant-01hzzzzzzzzzzzzzzzzzzzzzzz')).to.equal(
      'there is no tenant …',
    )
  })

  it('are those of refusals, and of nothing that may pass', () => {
    const coded = [
      new Invalid('x'),
      new TooLarge('x'),
      new Forbidden('x'),
      new NotFound('x'),
      new Conflict('x'),
    ]
    expect(coded.map((error) => rowFaultOf(error)?.code)).to.deep.equal([
      'VALIDATION_ERROR',
      'VALIDATION_ERROR',
      'FORBIDDEN',
      'NOT_FOUND',
      'CONFLICT',
    ])
    for (const error of [new Unavailable('x'), new Error('x')]) expect(rowFaultOf(error)).to.equal(undefined)
  })
})
