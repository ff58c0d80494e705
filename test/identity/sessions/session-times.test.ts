/** How long sessions last when clocks do what clocks do: jump ahead, back, over years and leap days. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { absent, type RecordState } from '../../../src/domain/records/record.ts'
import { everything } from '../../../src/rights/access.ts'
import { authenticate } from '../../../src/identity/authenticate.ts'
import type { StateSource } from '../../../src/identity/current-states.ts'
import { sessionTickets } from '../../../src/identity/sessions/session-tickets.ts'
import { steadyNow } from '../../../src/identity/sessions/steady-clock.ts'
import { key, manualClock } from '../../support/write-side.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const TIMEOUT = DAY
const [company, user, session] = [key('company', 1), key('user', 1), key('session', 1)]

/** What lets people in by the cookie, on a clock of its own. */
function door(at: string, renewal: 'Sliding' | 'Fixed' = 'Fixed') {
  const clock = manualClock(at)
  const now = steadyNow(clock)
  const keys = new Map([['AAAAAAAA', randomBytes(32)]])
  const tickets = sessionTickets({ sealer: { deriveAll: () => keys }, now })
  const live = (fields: RecordState['fields']): RecordState => ({
    ...absent,
    status: 'live',
    version: 1,
    fields,
  })
  const states = new Map([
    [company, live({ Name: 'One', SessionRenewal: renewal })],
    [user, live({ Name: 'Ada', Email: 'ada@example.com', Roles: [], SessionEpoch: 0 })],
    [session, live({ User: user, Epoch: 0 })],
  ])
  const peek = (_company: string, key: string) => states.get(key)
  const source: StateSource = {
    asks: true,
    load: async (_company, key) => states.get(key) ?? absent,
    ask: (read) => read(),
  }
  const admit = authenticate({
    current: { ...source, peek, remembered: source, within: (_patience, work) => work() },
    tickets,
    places: { find: async () => undefined },
    accessOf: () => everything,
    now,
    used: () => {},
  })
  return {
    clock,
    logIn: () => tickets.issue({ company, user, session }, TIMEOUT / 60_000),
    /** The cookie to go on with; undefined: not let in. */
    async enter(cookie: string) {
      const admitted = await admit({ cookie }, true)
      return admitted && (admitted.renewed ?? cookie)
    },
    jumpBy: (ms: number) => clock.jump(new Date(clock.now() + ms).toISOString()),
  }
}

const isIn = async (of: Pick<ReturnType<typeof door>, 'enter'>, cookie: string) =>
  (await of.enter(cookie)) !== undefined

describe('a session', () => {
  it('is not lengthened by a clock that is set back, once or often', async () => {
    for (const back of [HOUR, 23 * HOUR, 400 * DAY]) {
      const it = door('2026-03-01T09:30:00.000Z')
      const cookie = it.logIn()
      for (let hour = 0; hour < 23; hour++) {
        it.clock.pass(HOUR)
        it.jumpBy(-back)
        expect(await isIn(it, cookie), `${back} ${hour}`).to.equal(true)
      }
      it.clock.pass(HOUR)
      expect(await isIn(it, cookie)).to.equal(false)
    }
  })

  it('is at most shortened by a clock that is set ahead, and goes on when it is right again', async () => {
    const it = door('2026-03-01T09:30:00.000Z')
    const cookie = it.logIn()
    it.jumpBy(HOUR)
    expect(await isIn(it, cookie)).to.equal(true)
    it.jumpBy(400 * DAY)
    expect(await isIn(it, cookie)).to.equal(false)
    it.jumpBy(-400 * DAY - HOUR)
    expect(await isIn(it, cookie)).to.equal(true)
    it.clock.pass(TIMEOUT)
    expect(await isIn(it, cookie)).to.equal(false)
  })

  it('that began while the clock was far ahead ends when it is right again', async () => {
    for (const ahead of [HOUR, 2 * DAY, 400 * DAY]) {
      const it = door('2026-03-01T09:30:00.000Z')
      it.jumpBy(ahead)
      const cookie = it.logIn()
      expect(await isIn(it, cookie)).to.equal(true)
      it.jumpBy(-ahead)
      expect(await isIn(it, cookie), String(ahead)).to.equal(false)
    }
  })

  it('lasts its time over a leap day and a new year', async () => {
    for (const at of ['2028-02-28T12:00:00.000Z', '2028-02-29T12:00:00.000Z', '2026-12-31T12:00:00.000Z']) {
      const it = door(at)
      const cookie = it.logIn()
      it.clock.pass(TIMEOUT - 1_000)
      expect(await isIn(it, cookie), at).to.equal(true)
      it.clock.pass(1_000)
      expect(await isIn(it, cookie), at).to.equal(false)
    }
  })

  it('never lasts longer than its timeout and what the clock was ahead when it began, whatever clocks do', () => {
    const step = fc.oneof(
      fc.record({ pass: fc.integer({ min: 0, max: 8 * HOUR }) }),
      fc.record({ jump: fc.constantFrom(HOUR, -HOUR, 3 * HOUR, -3 * HOUR, 400 * DAY, -400 * DAY, -60_000) }),
    )
    const property = fc.asyncProperty(
      fc.array(step, { maxLength: 6 }),
      fc.array(step, { maxLength: 20 }),
      async (before, after) => {
        const it = door('2028-02-27T20:00:00.000Z')
        const start = it.clock.now()
        const go = (steps: typeof before) =>
          steps.map((one) => ('pass' in one ? it.clock.pass(one.pass) : it.jumpBy(one.jump)))
        go(before)
        const cookie = it.logIn()
        const began = it.clock.elapsed()
        const ahead = Math.max(0, it.clock.now() - start - began)
        for (const one of after) {
          go([one])
          const lasted = it.clock.elapsed() - began
          if (await isIn(it, cookie)) expect(lasted).to.be.below(TIMEOUT + ahead)
        }
      },
    )
    return fc.assert(property, { numRuns: 500 })
  })

  it('that slides does so by use only: a day of silence ends it, whatever the clock did', async () => {
    const it = door('2026-12-31T23:00:00.000Z', 'Sliding')
    let cookie = it.logIn()
    for (let i = 0; i < 10; i++) {
      it.clock.pass(20 * HOUR)
      it.jumpBy(-HOUR)
      const next = await it.enter(cookie)
      expect(next).to.be.a('string').and.not.equal(cookie)
      cookie = next!
    }
    it.clock.pass(TIMEOUT)
    it.jumpBy(-400 * DAY)
    expect(await isIn(it, cookie)).to.equal(false)
  })
})
