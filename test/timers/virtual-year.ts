/**
 * Timers over many virtual days: records change, are deleted and restored, the company moves to another time zone, the
 * process restarts and stands still. An oracle that knows neither projection nor poller says what has to fire when.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { sqliteTimers } from '../../src/adapters/sqlite/timers/timers.ts'
import { ownEvent } from '../../src/commands/support/own-event.ts'
import { derivedId } from '../../src/commands/support/identifiers.ts'
import { occurrencesOf } from '../../src/domain/time/date-rule.ts'
import { followEvents } from '../../src/projections/follow.ts'
import { adoptRules } from '../../src/timers/adopt-rules.ts'
import { planTimers, timerProjections } from '../../src/timers/plan-timers.ts'
import { timerPoller } from '../../src/timers/poll.ts'
import type { TimerRule } from '../../src/timers/rule.ts'
import { newFolder } from '../support/service.ts'
import { seededRandom } from '../support/random.ts'
import { mailsOfAYear } from './mails-of-a-year.ts'
import { caller, definition, key, manualClock, writeSide } from '../support/write-side.ts'

const HOUR = 3_600_000
const COMPANY = key('company', 1)
const OFFSETS = [-30, -7, 1]
const ZONES = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo']

export interface YearOptions {
  readonly records: number
  readonly days: number
  readonly seed: number
  /** Where it is given, the rule is a reminder that mails are sent by; at most so late. */
  readonly catchUpDays?: number
}

export interface Year {
  /** `record occurrence` to the moment at which it fired first, and should have. */
  readonly fired: ReadonlyMap<string, number>
  readonly expected: ReadonlyMap<string, number>
  /** How often something fired that had fired before. */
  readonly again: number
  /** Whether moments never went back within one look. */
  readonly inOrder: boolean
  /** `record occurrence` to what should have become of its mail, and what has. */
  readonly mails: {
    readonly expected: ReadonlyMap<string, string>
    readonly outcomes: ReadonlyMap<string, string>
  }
  /** Mails that the server took. */
  readonly taken: readonly string[]
}

export async function virtualYear({ records, days, seed, catchUpDays }: YearOptions): Promise<Year> {
  const folder = newFolder()
  const { next: random } = seededRandom(seed)
  const clock = manualClock('2026-01-01T00:00:00.000Z')
  const began = clock.now()
  const side = writeSide({ clock })
  const by = () => caller({ company: COMPANY })
  const fired = new Map<string, number>()
  const expected = new Map<string, number>()
  let [again, inOrder, last] = [0, true, 0]

  const mails =
    catchUpDays === undefined
      ? undefined
      : await mailsOfAYear({ side, company: COMPANY, days: OFFSETS, catchUpDays })
  const expectedMails = new Map<string, string>()
  const unclear = new Set<string>()
  const bare: Omit<TimerRule, 'fire'> = mails?.rule ?? {
    name: 'job.reminder',
    shape: '1',
    object: 'job',
    fields: ['Until'],
    plan: ({ state, zone }) =>
      occurrencesOf({ date: 'Until', days: OFFSETS, at: '08:00', zone: 'company' }, state.fields, zone),
  }
  const rule: TimerRule = {
    ...bare,
    async fire(timer, planned) {
      const { record, occurrence, due } = timer
      if (due < last) inOrder = false
      last = due
      const name = `${record} ${occurrence}`
      if (fired.has(name)) again++
      else fired.set(name, clock.now())
      await mails?.rule.fire(timer, planned)
    },
  }

  let timers = sqliteTimers(join(folder, 'timers.db'))
  const troubles: unknown[] = []
  const onTrouble = (message: string, error: unknown) => void troubles.push([message, error])
  const start = async () => {
    const adopted = await adoptRules([rule], { events: side.events, timers, clock })
    const follower = await followEvents({
      events: side.events,
      store: planTimers({ adopted, timers, states: side.states, events: side.events }),
      projections: timerProjections(adopted),
      onStatus: () => {},
      onTrouble,
    })
    return { follower, poller: timerPoller({ adopted, timers, states: side.states, clock, onTrouble }) }
  }
  let running = await start()
  const restart = async () => {
    await running.follower.stop()
    await timers.close()
    timers = sqliteTimers(join(folder, 'timers.db'))
    running = await start()
  }
  const planned = async () => {
    const head = await side.events.head()
    while ((running.follower.status()[0]?.position ?? 0) < head) await turn()
  }

  let zone = 'UTC'
  let companyVersion = 0
  const moveTo = async (to: string) => {
    zone = to
    const type = companyVersion === 0 ? 'company.created' : 'company.updated'
    const command = derivedId(`${seed}/zone/${companyVersion}`)
    const about = { company: COMPANY, stream: COMPANY, now: clock.now(), command, name: 'update' }
    const event = ownEvent({ ...about, type, data: { TimeZone: zone } })
    await side.events.append({
      company: COMPANY,
      stream: COMPANY,
      expected: companyVersion++,
      events: [event],
    })
    side.states.forget(COMPANY)
  }

  /** What the tale knows of each record. */
  const told = new Map<string, { until: string | undefined; live: boolean; changed: number }>()
  const dateIn = (inDays: number) => new Date(clock.now() + inDays * 24 * HOUR).toISOString().slice(0, 10)
  const change = async () => {
    const names = [...told.keys()]
    const record = names[Math.floor(random() * names.length)]
    const chance = random()
    if (told.size < records && (record === undefined || chance < 0.5)) {
      const until = dateIn(Math.floor(random() * 120) - 10)
      const { key: made } = await side.write.create(by(), {
        definition: definition('job'),
        body: { Title: 'x', Until: until, ...(mails && { Tenant: mails.tenant }) },
      })
      told.set(made, { until, live: true, changed: clock.now() })
      return
    }
    const about = told.get(record!)!
    about.changed = clock.now()
    const target = { definition: definition('job'), key: record! }
    if (!about.live) {
      await side.write.restore(by(), target)
      about.live = true
    } else if (chance < 0.6) {
      await side.write.remove(by(), target)
      about.live = false
    } else if (chance < 0.7) {
      await side.write.update(by(), { ...target, body: { Title: String(random()) }, writing: 'merge' })
    } else {
      about.until = chance < 0.75 ? undefined : dateIn(Math.floor(random() * 120) - 10)
      await side.write.update(by(), { ...target, body: { Until: about.until ?? null }, writing: 'merge' })
    }
  }

  /** What has to have fired by now: judged by the tale, with another calendar. */
  const expect = () => {
    for (const [record, { until, live, changed }] of told)
      for (const offset of live && until !== undefined ? OFFSETS : []) {
        const name = `${record} Until|${until!}|${offset}`
        const day = Date.parse(until!) + offset * 24 * HOUR
        // The hour at which clocks there show the day and 8: no zone of the tale changes its clocks at that time.
        const due = eightOClock(zone, day)
        // Nothing is written of what was long over when the record came to say so, nor before there was a template.
        const oldest =
          catchUpDays === undefined ? -Infinity : Math.max(began, changed - catchUpDays * 24 * HOUR)
        // A move to another zone can bring it to the other side of that limit: only records with timers are looked at again.
        if (companyVersion > 0 && Math.abs(due - oldest) < 24 * HOUR) unclear.add(name)
        if (due < oldest) continue
        if (due > clock.now() || expected.has(name)) continue
        expected.set(name, clock.now())
        const late = Math.floor((clock.now() - due) / (24 * HOUR))
        if (catchUpDays !== undefined) expectedMails.set(name, late > catchUpDays ? 'skipped' : 'sent')
      }
  }

  try {
    let standsUntil = 0
    for (let day = 0; day < days; day++) {
      if (day % 97 === 50) await moveTo(ZONES[Math.floor(random() * ZONES.length)]!)
      if (random() < 0.02) standsUntil = day + 1 + Math.floor(random() * 6)
      for (let hour = 0; hour < 24; hour += 6) {
        clock.pass(6 * HOUR)
        const changes = Math.floor((random() * records) / 40) + 1
        for (let one = 0; one < changes; one++) await change()
        if (day < standsUntil) continue
        if (random() < 0.01) await restart()
        await planned()
        last = 0
        await running.poller.once()
        await mails?.send()
        expect()
      }
    }
    if (troubles.length > 0) throw new Error(`trouble: ${String(troubles[0])}`)
    const outcomes = new Map(mails?.outcomes())
    for (const name of unclear) for (const one of [expectedMails, outcomes]) one.delete(name)
    return {
      fired,
      expected,
      again,
      inOrder,
      mails: { expected: expectedMails, outcomes },
      taken: (mails?.taken ?? []).filter((name) => !unclear.has(name)),
    }
  } finally {
    await running.follower.stop()
    await timers.close()
    rmSync(folder, { recursive: true })
  }
}

const iso = (moment: number) => new Date(moment).toISOString().slice(0, 10)
const known = new Map<string, number>()
function eightOClock(zone: string, day: number): number {
  const name = `${zone} ${day}`
  let found = known.get(name)
  if (found === undefined) {
    const clocks = new Intl.DateTimeFormat('sv-SE', {
      timeZone: zone,
      dateStyle: 'short',
      timeStyle: 'short',
    })
    const hours = Array.from({ length: 48 }, (_one, index) => day + (index - 16) * HOUR)
    found = hours.find((hour) => clocks.format(hour) === `${iso(day)} 08:00`)!
    known.set(name, found)
  }
  return found
}
