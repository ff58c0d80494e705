/** What planning timers costs the event store: it follows every event of a busy service. */
import { expect } from 'chai'
import { absent, type RecordState } from '../../src/domain/records/record.ts'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import type { TimerChange } from '../../src/ports/timers.ts'
import type { TimerRule } from '../../src/timers/rule.ts'
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

describe('planning timers of a record that is new', () => {
  const since = Date.parse('2026-05-01T00:00:00Z')
  const planned = async (recordedAt: string, types: readonly string[], firstVersion = 1) => {
    const asked: string[] = []
    const changes: TimerChange[] = []
    const rule: TimerRule = {
      name: 'one',
      shape: '',
      object: 'note',
      fields: ['Text'],
      plan: ({ state }) => [{ occurrence: `at|${state.version}`, due: since + 1 }],
      fire: async () => {},
    }
    const store = planTimers({
      adopted: [{ since, timers: 'one', rule }],
      timers: {
        position: async () => 0,
        store: async (some) => void changes.push(...some),
        last: async () => undefined,
        due: async () => [],
        records: async () => [],
        close: async () => {},
      },
      states: {
        load: async (_company, key): Promise<RecordState> => {
          asked.push(key)
          return { ...absent, status: 'live', position: 1_000, version: 9, modifiedAt: recordedAt }
        },
      },
      events: { read: async () => [] },
    })
    const steps = types.map((type, i) => {
      const event = newEvent()
      const metadata = { ...event.metadata, company: COMPANY, recordedAt }
      const version = firstVersion + i
      const recorded: RecordedEvent = {
        ...event,
        type,
        metadata,
        stream: keyOf(0),
        version,
        position: 100 + i,
      }
      return { position: 100 + i, operations: [recorded] }
    })
    await store.apply([{ projection: 'one', after: 0, steps }], 200)
    const made = changes.map((change) => (change.op === 'plan' ? change.timers.map((t) => t.occurrence) : []))
    return { asked: asked.filter((key) => key !== COMPANY), made }
  }

  it('asks for nothing but its company: the events have all of it', async () => {
    const { asked, made } = await planned('2026-06-01T00:00:00Z', ['note.created', 'note.changed'])
    expect(asked).to.deep.equal([])
    expect(made).to.deep.equal([['at|2']])
  })

  it('stores nothing for one that is deleted at once', async () => {
    expect(await planned('2026-06-01T00:00:00Z', ['note.created', 'note.deleted'])).to.deep.equal({
      asked: [],
      made: [],
    })
  })

  it('asks what became of one that is older than the rule, or was there before', async () => {
    for (const [at, type, version] of [
      ['2026-04-01T00:00:00Z', 'note.created', 1],
      ['2026-06-01T00:00:00Z', 'note.changed', 2],
    ] as const) {
      const { asked, made } = await planned(at, [type], version)
      expect(asked).to.deep.equal([keyOf(0)])
      expect(made).to.deep.equal([['at|9']])
    }
  })
})

const keyOf = (i: number) => `note-01m82yxd8ke0092ggg9nkzq${String(i).padStart(3, '0')}`
