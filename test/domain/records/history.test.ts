/** From what to what each event changed a record. */
import { expect } from 'chai'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import { historyOf } from '../../../src/domain/records/history.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { user } from '../../../src/identity/objects.ts'
import { newEvent } from '../../support/events.ts'

describe('the history of a record', () => {
  const happened = (...all: readonly (readonly [type: string, data: Fields])[]): RecordedEvent[] =>
    all.map(([type, data], i) => ({
      ...newEvent({ type, data }),
      ...{ stream: 'user-1', version: i + 1, position: i + 1 },
    }))
  const events = happened(
    ['user.created', { Name: 'Ann', PasswordHash: 'x' }],
    ['user.updated', { Name: 'Bea', PasswordHash: 'y' }],
    ['user.deleted', {}],
    ['user.restored', {}],
    ['user.updated', { Name: null }],
  )
  const changes = [
    { Name: { from: null, to: 'Ann' } },
    { Name: { from: 'Ann', to: 'Bea' } },
    {},
    {},
    { Name: { from: 'Bea', to: null } },
  ]

  it('tells what each event changed, but no secrets', () => {
    const entries = historyOf(user, events)
    expect(entries.map(({ event }) => event)).to.deep.equal(events)
    expect(entries.map((entry) => entry.changes)).to.deep.equal(changes)
  })

  it('is the same in parts', () => {
    for (let first = 0; first <= 6; first++)
      for (let end = first; end <= 7; end++)
        expect(historyOf(user, events, first, end).map((entry) => entry.changes)).to.deep.equal(
          changes.slice(first, end),
        )
  })
})
