/** What every place for timers does. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import type { Timer, TimerChange, Timers } from '../../src/ports/timers.ts'

/** @param open the same place again each time */
export function timersContract(open: () => Promise<Timers>): void {
  let opened: Timers[]
  let timers: Timers
  let rule: string
  let company: string
  const again = async () => {
    const one = await open()
    opened.push(one)
    return one
  }
  beforeEach(async () => {
    opened = []
    rule = `rule-${randomUUID()}`
    company = `company-${randomUUID()}`
    timers = await again()
  })
  afterEach(async () => {
    // Other tests share the place.
    await timers.store([{ op: 'drop', rule }])
    for (const one of opened) await one.close()
  })

  const plan = (record: string, dues: readonly number[], position = 1): TimerChange => ({
    op: 'plan',
    company,
    rule,
    record,
    position,
    timers: dues.map((due) => ({ occurrence: `at|${due}`, due })),
  })
  const timer = (record: string, due: number): Timer => ({
    company,
    rule,
    record,
    occurrence: `at|${due}`,
    due,
  })
  const due = async (until: number, limit = 100) =>
    (await timers.due(until, limit)).map(({ record, due: at }) => `${record} ${at}`)

  it('keeps the last event that it covers, until a rule begins again', async () => {
    const last = { position: 5, id: 'e5', company, stream: 'job-1', version: 2 }
    expect(await timers.last()).to.equal(undefined)
    await timers.store([], new Map([[rule, 5]]), last)
    // Of a follower that is not as far.
    await timers.store([], new Map([['other', 3]]), { ...last, position: 3, id: 'e3' })
    await timers.store([], new Map([[rule, 6]]))
    expect(await (await again()).last()).to.deep.equal(last)
    await timers.store([{ op: 'drop', rule }])
    expect(await timers.last()).to.equal(undefined)
  })

  it('has those that are due, the longest due first, up to a limit', async () => {
    await timers.store([plan('r2', [30, 10]), plan('r1', [10, 40]), plan('r3', [20])])
    expect(await due(9)).to.deep.equal([])
    const all = await due(30)
    expect([all.slice(0, 2).toSorted(), all.slice(2)]).to.deep.equal([
      ['r1 10', 'r2 10'],
      ['r3 20', 'r2 30'],
    ])
    // Of one moment: always in the same order.
    for (const limit of [1, 2, 3]) expect(await due(30, limit)).to.deep.equal(all.slice(0, limit))
    expect((await timers.due(20, 3)).at(-1)).to.deep.equal(timer('r3', 20))
  })

  it('has those that were years ahead when their time comes, also moved, postponed and opened later', async () => {
    const day = 86_400_000
    expect(await due(5 * day)).to.deep.equal([])
    await timers.store([plan('r1', [30 * day, 900 * day]), plan('r2', [800 * day]), plan('r3', [700 * day])])
    await timers.store([plan('r2', [50 * day], 2)])
    await timers.store([{ op: 'postpone', timer: timer('r1', 30 * day), until: 400 * day }])
    expect(await due(49 * day)).to.deep.equal([])
    expect(await due(50 * day)).to.deep.equal([`r2 ${50 * day}`])
    // A clock that is put back, and what is planned meanwhile.
    await timers.store([plan('r4', [60 * day])])
    expect(await due(49 * day)).to.deep.equal([])
    timers = await again()
    await timers.store([plan('r5', [410 * day])])
    const all = [`r2 ${50 * day}`, `r4 ${60 * day}`, `r1 ${30 * day}`, `r5 ${410 * day}`, `r3 ${700 * day}`]
    expect(await due(400 * day)).to.deep.equal(all.slice(0, 3))
    expect(await due(899 * day)).to.deep.equal(all)
  })

  it('replaces all timers of the record and rule by those of a later event', async () => {
    await timers.store([plan('r1', [10, 20]), plan('r2', [10])])
    await timers.store([plan('r1', [15], 2), plan('r2', [], 2)])
    expect(await due(100)).to.deep.equal(['r1 15'])
  })

  it('passes over what an earlier event, or the same again, would plan', async () => {
    await timers.store([plan('r1', [10], 5)], new Map([[rule, 5]]))
    await timers.store([{ op: 'done', timer: timer('r1', 10) }])
    await timers.store([plan('r1', [10], 5)], new Map([[rule, 5]]))
    await timers.store([plan('r1', [20], 4)], new Map([[rule, 4]]))
    expect(await due(100)).to.deep.equal([])
    expect(await timers.position(rule)).to.equal(5)
  })

  it('of one call the last plan of a record counts', async () => {
    await timers.store([plan('r1', [10], 1), plan('r1', [20, 30], 2), plan('r1', [40], 3)])
    expect(await due(100)).to.deep.equal(['r1 40'])
  })

  it('forgets what is done, and nothing else; also when it is said twice', async () => {
    await timers.store([plan('r1', [10, 20])])
    const done: TimerChange = { op: 'done', timer: timer('r1', 10) }
    await timers.store([done])
    await timers.store([done, { op: 'done', timer: timer('unknown', 10) }])
    expect(await due(100)).to.deep.equal(['r1 20'])
  })

  it('does not forget a timer that was moved while another dealt with it', async () => {
    await timers.store([plan('r1', [10])])
    const moved = { occurrence: 'at|10', due: 50 }
    await timers.store([{ op: 'plan', company, rule, record: 'r1', position: 2, timers: [moved] }])
    await timers.store([{ op: 'done', timer: timer('r1', 10) }])
    expect(await due(100)).to.deep.equal(['r1 50'])
  })

  it('postpones one, so that those behind it come first', async () => {
    await timers.store([plan('r1', [10]), plan('r2', [20])])
    await timers.store([{ op: 'postpone', timer: timer('r1', 10), until: 60 }])
    expect(await due(59)).to.deep.equal(['r2 20'])
    expect(await timers.due(60, 9)).to.deep.equal([timer('r2', 20), timer('r1', 10)])
  })

  it('looks at a postponed one when it is due, once a later event plans the same again', async () => {
    await timers.store([plan('r1', [10]), plan('r2', [10])])
    await timers.store([{ op: 'postpone', timer: timer('r1', 10), until: 60 }])
    await timers.store([plan('r1', [10], 2), plan('r2', [10], 2)])
    expect((await due(10)).toSorted()).to.deep.equal(['r1 10', 'r2 10'])
  })

  it('keeps positions by rule, and never moves one back', async () => {
    expect(await timers.position(rule)).to.equal(0)
    await timers.store([], new Map([[rule, 7]]))
    await timers.store([], new Map([[rule, 3]]))
    expect(await (await again()).position(rule)).to.equal(7)
  })

  it('drops a rule with its timers and its position, and no other', async () => {
    const other = `${rule}-other`
    await timers.store([plan('r1', [10]), { ...plan('r1', [20]), rule: other } as TimerChange])
    await timers.store([], new Map([[rule, 7]]))
    await timers.store([{ op: 'drop', rule }])
    expect(await due(100)).to.deep.equal(['r1 20'])
    expect(await timers.position(rule)).to.equal(0)
    await timers.store([plan('r1', [30], 1), { op: 'drop', rule: other }])
    expect(await due(100)).to.deep.equal(['r1 30'])
  })

  it('names the records of a company that have timers by a rule, page by page', async () => {
    await timers.store([plan('r3', [10]), plan('r1', [10, 20]), plan('r2', []), plan('r4', [1])])
    expect(await timers.records(company, { rule, limit: 2 })).to.deep.equal(['r1', 'r3'])
    expect(await timers.records(company, { rule, after: 'r3', limit: 2 })).to.deep.equal(['r4'])
    expect(await timers.records(`${company}x`, { rule, limit: 2 })).to.deep.equal([])
  })

  it('keeps them for the next who opens it', async () => {
    await timers.store([plan('r1', [10])])
    expect(await (await again()).due(10, 1)).to.deep.equal([timer('r1', 10)])
  })
}
