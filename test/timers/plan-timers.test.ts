/** What planning timers costs the event store: it follows every event of a busy service. */
import { expect } from 'chai'
import { absent, type RecordState } from '../../src/domain/records/record.ts'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import type { TimerChange } from '../../src/ports/timers.ts'
import { planTimers } from '../../src/timers/plan-timers.ts'
import { newEvent } from '../support/events.ts'

const COMPANY = 'company-1'
const COUNT = 50

describe('planning timers of many records', () => {
  it('reads their company once, and stores the timers of all rules with their positions at once', async () => {
    const reads: string[] = []
    const stored: { changes: readonly TimerChange[]; reached: ReadonlyMap<string, number> }[] = []
    const rules = ['one', 'two'].map((name) => ({
      since: 0,
      timers: name,
      rule: { name, shape: '', object: 'note', fields: [], plan: () => [], fire: async () => {} },
    }))
    const store = planTimers({
      adopted: rules,
      timers: {
        position: async () => 0,
        store: async (changes, reached = new Map()) => void stored.push({ changes, reached }),
        last: async () => undefined,
        due: async () => [],
        records: async () => [],
        close: async () => {},
      },
      states: {
        load: async (_company, key): Promise<RecordState> => ({
          ...absent,
          status: 'live',
          position: key === COMPANY ? 1 : 1_000,
        }),
      },
      events: { read: async (_company, stream) => (reads.push(stream), []) },
    })
    const steps = Array.from({ length: COUNT }, (_, i) => {
      const event = newEvent()
      const metadata = { ...event.metadata, company: COMPANY }
      const recorded: RecordedEvent = { ...event, metadata, stream: keyOf(i), version: 1, position: 100 + i }
      return { position: 100 + i, operations: [recorded] }
    })
    await store.apply(
      rules.map(({ timers }) => ({ projection: timers, after: 0, steps })),
      200,
    )
    expect(reads).to.deep.equal([COMPANY])
    expect(stored).to.have.length(1)
    expect(stored[0]!.changes).to.have.length(2 * COUNT)
    expect([...stored[0]!.reached]).to.deep.equal([
      ['one', 200],
      ['two', 200],
    ])
  })
})

const keyOf = (i: number) => `note-01m82yxd8ke0092ggg9nkzq${String(i).padStart(3, '0')}`
