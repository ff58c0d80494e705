/** What undoing a row means, for records of any history: what nobody has touched goes back, what somebody has touched stays. */
import fc from 'fast-check'
import { expect } from 'chai'
import type { ObjectDefinition } from '../../../src/domain/definition.ts'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import type { Fields, Json } from '../../../src/domain/json.ts'
import { absent, evolve } from '../../../src/domain/records/record.ts'
import { judgeUndo, type Conflicts } from '../../../src/imports/undo/judge-undo.ts'

const NAMES = ['A', 'B', 'C']
const definition: ObjectDefinition = {
  object: 'thing',
  name: 'Thing',
  application: 'Test',
  description: 'A thing.',
  display: 'A',
  fields: NAMES.map((name) => ({ name, type: 'text' as const })),
}
const [ROW, UNDO, OTHER] = ['import:k#1', 'import:u#1', 'api']

function eventsOf(
  steps: readonly (readonly [type: string, data: Fields, source: string])[],
): RecordedEvent[] {
  return steps.map(([type, data, source], index) => ({
    id: String(index),
    type: `thing.${type}`,
    data,
    stream: 'thing-1',
    version: index + 1,
    position: index + 1,
    metadata: {
      envelope: 2,
      company: 'c',
      actor: 'user-1',
      at: '2031-01-01T00:00:00.000Z',
      recordedAt: '2031-01-01T00:00:00.000Z',
      $correlationId: 'x',
      command: 'x',
      source,
      schema: 1,
    },
  }))
}

const judged = (events: readonly RecordedEvent[], conflicts: Conflicts) =>
  judgeUndo({
    definition,
    events,
    source: ROW,
    undoing: UNDO,
    conflicts,
    isOwn: ({ metadata }) => metadata.source === ROW || metadata.source === UNDO,
  })

const value: fc.Arbitrary<Json> = fc.constantFrom('1', '2', '3', null)
const change = fc
  .dictionary(fc.constantFrom(...NAMES), value, { minKeys: 1 })
  .map((data) => ['updated', data, OTHER] as const)
const full = fc.record({ A: fc.constant('a'), B: fc.constant('b'), C: fc.constant('c') })

describe('the judgement of an undone row', () => {
  it('gives back exactly what the row changed, and never what others have changed', () => {
    const rowChange = fc.dictionary(fc.constantFrom(...NAMES), fc.constantFrom('x', 'y'), { minKeys: 1 })
    fc.assert(
      fc.property(full, rowChange, fc.array(change, { maxLength: 3 }), (first, by, others) => {
        const events = eventsOf([['created', first, OTHER], ['updated', by, ROW], ...others])
        const now = events.reduce(evolve, absent)
        const touched = new Set(others.flatMap(([, data]) => Object.keys(data)))
        const decision = judged(events, 'fields')
        const after = decision.is === 'update' ? { ...now.fields, ...decision.body } : now.fields
        for (const name of NAMES) {
          const isBack = name in by && !touched.has(name)
          expect(after[name] ?? null, name).to.equal((isBack ? first : now.fields)[name as 'A'] ?? null)
        }
        if (others.length > 0) expect(judged(events, 'keep').is).to.be.oneOf(['kept', 'unchanged'])
        const forced = judged(events, 'force')
        const back = forced.is === 'update' ? { ...now.fields, ...forced.body } : now.fields
        for (const name of Object.keys(by)) expect(back[name]).to.equal(first[name as 'A'])
      }),
    )
  })

  it('deletes what the row created, unless others have changed it', () => {
    fc.assert(
      fc.property(full, fc.array(change, { maxLength: 2 }), (first, others) => {
        const events = eventsOf([['created', first, ROW], ...others])
        expect(judged(events, 'keep').is).to.equal(others.length > 0 ? 'kept' : 'delete')
        expect(judged(events, 'force')).to.deep.equal({ is: 'delete', expected: events.length })
      }),
    )
  })

  it('knows what it has done, and what is done already', () => {
    const first = { A: 'a' }
    const deleted = eventsOf([
      ['created', first, ROW],
      ['deleted', {}, UNDO],
    ])
    expect(judged(deleted, 'keep')).to.deep.equal({ is: 'done', version: 2, faults: [] })
    const byOthers = eventsOf([
      ['created', first, ROW],
      ['deleted', {}, OTHER],
    ])
    expect(judged(byOthers, 'keep')).to.deep.equal({ is: 'unchanged' })
    expect(judged(eventsOf([['created', first, OTHER]]), 'keep')).to.deep.equal({ is: 'absent' })
    const updated = eventsOf([
      ['created', { A: 'a', B: 'b' }, OTHER],
      ['updated', { A: 'x', B: 'y' }, ROW],
      ['updated', { B: 'z' }, OTHER],
      ['updated', { A: 'a' }, UNDO],
    ])
    const decision = judged(updated, 'fields')
    expect([decision.is, 'faults' in decision && decision.faults.map(({ Field }) => Field)]).to.deep.equal([
      'done',
      ['B'],
    ])
  })

  it('passes over named events, which say what a change meant', () => {
    const events = eventsOf([
      ['created', { A: 'a' }, ROW],
      ['activated', {}, ROW],
    ])
    expect(judged(events, 'keep').is).to.equal('delete')
  })
})
