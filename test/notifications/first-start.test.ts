/** Triggers and reminders that are there for the first time, over a log that is long: nothing old is sent, and little is read for it. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { sqliteTimers } from '../../src/adapters/sqlite/timers/timers.ts'
import { followTriggers, triggerProjection } from '../../src/notifications/sending/follow-events.ts'
import { reminders } from '../../src/notifications/sending/reminders.ts'
import type { Cause } from '../../src/notifications/sending/write-messages.ts'
import { triggerSchema } from '../../src/notifications/triggers.ts'
import { followEvents } from '../../src/projections/follow.ts'
import { adoptRules } from '../../src/timers/adopt-rules.ts'
import { planTimers, timerProjections } from '../../src/timers/plan-timers.ts'
import { newFolder } from '../support/service.ts'
import { caller, definition, definitions, key, manualClock, writeSide } from '../support/write-side.ts'

const company = key('company', 1)
const DAY_MS = 86_400_000
const OLD = 500

const triggers = new Map(
  [
    { trigger: 'job-made', on: { event: 'job.created' } },
    { trigger: 'job-ends', on: { date: 'Until', days: [-30, -1], at: '08:00', zone: 'company' } },
  ].map((one) => [
    one.trigger,
    triggerSchema.parse({ ...one, area: 'workflow', object: 'job', to: [{ role: 'approver' }] }),
  ]),
)

describe('the first start of triggers on a long log', () => {
  let folder: string
  beforeEach(() => (folder = newFolder()))
  afterEach(() => rmSync(folder, { recursive: true }))

  /** Jobs of long ago, whose ends are over, then three of yesterday. */
  async function world() {
    const clock = manualClock('2026-03-01T09:30:00.000Z')
    const side = writeSide({ clock })
    const made = (Title: string, Until: string) =>
      side.write.create(caller({ company }), { definition: definition('job'), body: { Title, Until } })
    for (let one = 0; one < OLD; one++) await made(`old ${one}`, '2026-04-01')
    clock.pass(60 * DAY_MS)
    for (let one = 0; one < 3; one++) await made(`new ${one}`, '2026-06-15')
    clock.pass(DAY_MS)
    const reads: string[] = []
    const events = {
      ...side.events,
      read: async (of: string, stream: string) => (reads.push(stream), side.events.read(of, stream)),
    }
    const causes: Cause[] = []
    const write = async (cause: Cause) => void causes.push(cause)
    const options = { triggers, definitions, events, clock, write, catchUpDays: 7 }
    const timers = sqliteTimers(join(folder, 'timers.db'))
    const reached = async (follower: Awaited<ReturnType<typeof followEvents>>) => {
      const head = await side.events.head()
      while ((follower.status()[0]?.position ?? 0) < head) await turn()
      await follower.stop()
    }
    const quiet = { onStatus: () => {}, onTrouble: (message: string) => expect.fail(message) }
    return { ...side, clock, made, events, reads, causes, options, timers, reached, quiet }
  }

  it('writes for what has just happened alone, and reads no record of what is old', async () => {
    const { events, reads, causes, options, timers, reached, quiet, clock, made } = await world()
    const following = { ...options, timers }
    const start = () =>
      followEvents({
        events,
        store: followTriggers(following),
        projections: [triggerProjection(following)],
        ...quiet,
      })
    await reached(await start())
    expect(causes.map(({ state }) => state.fields['Title'])).to.deep.equal(['new 0', 'new 1', 'new 2'])
    expect(causes.map(({ skipped }) => skipped)).to.deep.equal([undefined, undefined, undefined])
    expect(reads).to.have.length(3)
    // What came while it stood still is known to be missed, and said.
    await made('missed', '2026-06-15')
    clock.pass(30 * DAY_MS)
    await reached(await start())
    expect(causes).to.have.length(4)
    expect(causes[3]!.skipped).to.match(/^it happened 30 days before/)
    await timers.close()
  })

  it('reminds of dates to come alone', async () => {
    const { events, options, timers, reached, quiet, clock, states } = await world()
    const adopted = await adoptRules(reminders(options), { events, timers, clock })
    const store = planTimers({ adopted, timers, states, events })
    await reached(await followEvents({ events, store, projections: timerProjections(adopted), ...quiet }))
    // Ends of long ago are over; of those to come 30 days and one day before are due.
    expect(await timers.due(clock.now(), 1_000)).to.deep.equal([])
    const later = await timers.due(Date.parse('2027-01-01T00:00:00Z'), 1_000)
    expect(later).to.have.length(6)
    await timers.close()
  })
})
