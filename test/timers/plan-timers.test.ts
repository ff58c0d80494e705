/** What planning timers costs the event store: it follows every event of a busy service. */
import { expect } from 'chai'
import { absent, type RecordState } from '../../src/domain/records/record.ts'
import type { RecordedEvent } from '../../src/domain/events/event.ts'
import type { Fields } from '../../src/domain/json.ts'
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

describe('planning timers batch after batch', () => {
  /** A store of one rule; the zone of the company, which reads of its stream show. */
  const following = () => {
    const reads: string[] = []
    const zones: string[] = []
    const company = { zone: 'Europe/Berlin' }
    const rule: TimerRule = {
      ...{ name: 'one', shape: '', object: 'note', fields: [] },
      plan: ({ zone }) => (zones.push(zone), []),
      fire: async () => {},
    }
    const store = planTimers({
      adopted: [{ since: 0, timers: 'one', rule }],
      timers: {
        position: async () => 0,
        store: async () => {},
        last: async () => undefined,
        due: async () => [],
        records: async () => [],
        close: async () => {},
      },
      states: {
        async load(_company, key) {
          reads.push(key)
          return { ...absent, status: 'live', position: 10_000, fields: { TimeZone: company.zone } }
        },
      },
      events: { read: async () => [] },
    })
    const apply = (after: number, position: number, stream: string, data: Fields = {}) => {
      const event = newEvent()
      const metadata = { ...event.metadata, company: COMPANY }
      const type = stream === COMPANY ? 'company.changed' : 'note.created'
      const recorded: RecordedEvent = { ...event, type, data, metadata, stream, version: 1, position }
      const steps = [{ position, operations: [recorded] }]
      return store.apply([{ projection: 'one', after, steps }], position)
    }
    return { reads, zones, company, apply }
  }

  it('reads their company once for all batches', async () => {
    const { reads, zones, apply } = following()
    for (let at = 0; at < 5; at++) await apply(at * 10, at * 10 + 10, keyOf(at))
    expect(reads).to.deep.equal([COMPANY])
    expect(zones).to.deep.equal(Array(5).fill('Europe/Berlin'))
  })

  it('reads it again once its zone has changed, or may have, in a batch that was not seen', async () => {
    const { reads, zones, company, apply } = following()
    await apply(0, 10, keyOf(0))
    company.zone = 'Asia/Tokyo'
    await apply(10, 20, COMPANY, { TimeZone: 'Asia/Tokyo' })
    await apply(20, 30, keyOf(1))
    company.zone = 'Europe/Rome'
    await apply(40, 50, keyOf(2))
    expect(zones).to.deep.equal(['Europe/Berlin', 'Asia/Tokyo', 'Europe/Rome'])
    expect(reads).to.deep.equal([COMPANY, COMPANY, COMPANY])
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
