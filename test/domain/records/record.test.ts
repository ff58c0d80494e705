import { expect } from 'chai'
import fc from 'fast-check'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import type { Fields, Json } from '../../../src/domain/json.ts'
import {
  absent,
  evolve,
  happeningOf,
  mergeFields,
  type RecordState,
} from '../../../src/domain/records/record.ts'
import { newEvent } from '../../support/events.ts'

/** The events of one stream, a minute apart. */
const history = (...events: readonly (readonly [type: string, data?: Fields])[]): RecordedEvent[] =>
  events.map(([type, data = {}], index) => ({
    ...newEvent({ type, data, metadata: { at: `2026-03-01T09:${String(index).padStart(2, '0')}:00.000Z` } }),
    stream: 'contract-1',
    version: index + 1,
    position: index + 1,
  }))
const told = (events: readonly RecordedEvent[]): RecordState => events.reduce(evolve, absent)

describe('what an event does to its record', () => {
  it('is told by its action', () => {
    const happenings = {
      'contract.created': 'created',
      'contract.updated': 'changed',
      'contract.deleted': 'deleted',
      'contract.restored': 'restored',
      'contract.workflow.approved': 'changed',
      'payment.received': 'changed',
      'contract.workflow.deleted': 'changed',
    }
    for (const [type, happening] of Object.entries(happenings))
      expect(happeningOf(type), type).to.equal(happening)
  })
})

describe('a record', () => {
  const created = ['contract.created', { Status: 'Draft', Duration: 12 }] as const

  it('is absent before its first event', () =>
    expect(told([])).to.deep.equal({
      status: 'absent',
      version: 0,
      position: 0,
      fields: {},
      createdAt: '',
      modifiedAt: '',
    }))

  it('begins with the fields it was created with', () =>
    expect(told(history(created))).to.deep.equal({
      status: 'live',
      version: 1,
      position: 1,
      fields: { Status: 'Draft', Duration: 12 },
      createdAt: '2026-03-01T09:00:00.000Z',
      modifiedAt: '2026-03-01T09:00:00.000Z',
    }))

  it('has what was last said of every field; null clears', () => {
    const events = history(
      created,
      ['contract.updated', { Status: 'Active', Notes: 'x' }],
      ['contract.workflow.renewed', { Duration: null }],
    )
    expect(told(events)).to.deep.equal({
      status: 'live',
      version: 3,
      position: 3,
      fields: { Status: 'Active', Notes: 'x' },
      createdAt: '2026-03-01T09:00:00.000Z',
      modifiedAt: '2026-03-01T09:02:00.000Z',
    })
  })

  it('keeps its fields when it is deleted, and has them when it is restored', () => {
    const deleted = told(history(created, ['contract.deleted']))
    expect([deleted.status, deleted.version, deleted.fields]).to.deep.equal(['deleted', 2, created[1]])
    const restored = told(history(created, ['contract.deleted'], ['contract.restored']))
    expect([restored.status, restored.version, restored.fields]).to.deep.equal(['live', 3, created[1]])
    expect(restored.modifiedAt).to.equal('2026-03-01T09:02:00.000Z')
  })

  it('can be told from any events: what happened, happened', () => {
    const anyValue = fc.constantFrom<Json>(1, 'x', { Amount: 1 })
    const named = (values: fc.Arbitrary<Json>) => fc.dictionary(fc.constantFrom('A', 'B', 'C'), values)
    const anyEvent = fc.oneof(
      fc.tuple(fc.constant('contract.created'), named(anyValue)),
      fc.tuple(
        fc.constantFrom('contract.updated', 'contract.deleted', 'contract.restored', 'x', ''),
        named(fc.option(anyValue)),
      ),
    )
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 8 }), fc.nat({ max: 8 }), (events, cut) => {
        const all = history(...events)
        const state = told(all)
        expect(state.version).to.equal(all.length)
        expect(Object.values(state.fields)).to.not.include(null)
        // Folded further from a remembered state: the same as folded from the beginning.
        expect(all.slice(cut).reduce(evolve, told(all.slice(0, cut)))).to.deep.equal(state)
      }),
    )
  })
})

describe('fields that are merged', () => {
  const anyFields = fc.dictionary(fc.constantFrom('A', 'B', 'C'), fc.constantFrom<Json>(null, 1, 'x'))
  const withoutNull = anyFields.map((fields) => mergeFields({}, fields))

  it('have the changes, and else what they had; what they were made of stays as it was', () =>
    fc.assert(
      fc.property(withoutNull, anyFields, (fields, changes) => {
        const [before, asked] = [structuredClone(fields), structuredClone(changes)]
        const merged = mergeFields(fields, changes)
        for (const name of ['A', 'B', 'C'])
          expect(merged[name]).to.equal(name in changes ? (changes[name] ?? undefined) : fields[name])
        expect([fields, changes]).to.deep.equal([before, asked])
      }),
    ))
})
