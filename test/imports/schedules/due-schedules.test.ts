/** Runs of schedules in their time, by a clock that stands still unless it is moved. */
import { expect } from 'chai'
import { PreconditionFailed } from '../../../src/domain/errors.ts'
import type { Fields, Json } from '../../../src/domain/json.ts'
import { dueSchedules } from '../../../src/imports/schedules/due-schedules.ts'
import type { PickUpOptions } from '../../../src/imports/schedules/pick-up.ts'
import type { ImportWork } from '../../../src/imports/work.ts'

const at = (text: string) => Date.parse(text)
const KEY = 'importschedule-01jc3y4v5e8z9k2m7q6r5t4w3x'

describe('a schedule that is due', () => {
  let now: number
  let fields: Record<string, Json>
  let version: number
  /** Before a change is stored. */
  let meanwhile: () => void
  let looks: number
  let waitingFor: Promise<void> | undefined
  beforeEach(() => {
    now = at('2027-01-04T06:00:00Z')
    version = 1
    meanwhile = () => {}
    looks = 0
    waitingFor = undefined
    fields = {
      Object: 'bankstatement',
      Source: { Kind: 'folder', Folder: 'bank', Path: '' },
      Files: '*',
      Ignore: [],
      StableSeconds: 0,
      Cron: '0 6 * * *',
      TimeZone: 'UTC',
      OnMissedRuns: 'once',
      IsActive: true,
      NextRunAt: '2027-01-04T06:00:00Z',
    }
  })

  const work = () =>
    ({
      clock: { now: () => now, elapsed: () => now },
      newCommand: () => 'command',
      load: async () => ({ status: 'live', version, fields: { ...fields } }),
      write: {
        async update(_: unknown, { body, expected }: { body: Fields; expected?: readonly number[] }) {
          meanwhile()
          if (expected && !expected.includes(version)) throw new PreconditionFailed('it was changed')
          version++
          for (const [name, value] of Object.entries(body))
            if (value === null) delete fields[name]
            else fields[name] = value
        },
      },
      onTrouble: (_: string, error: unknown) => {
        throw error
      },
    }) as unknown as ImportWork
  const sourceOf = (async () => {
    looks++
    await waitingFor
    return { list: async () => [], close: async () => {} }
  }) as unknown as PickUpOptions['sourceOf']
  const process = () =>
    dueSchedules({ work: work(), imports: {} as unknown as PickUpOptions['imports'], sourceOf })
  const fire = async (of: ReturnType<typeof process>, name: 'NextRunAt' | 'ExpectAt') => {
    const rule = of.rules.find(({ fields: [field] }) => field === name)!
    for (const timer of rule.plan({ state: { fields } }))
      if (timer.due <= now) await rule.fire({ ...timer, company: 'company-1', rule: rule.name, record: KEY })
  }
  const skipped = () => (fields['LastRun'] as Fields | undefined)?.['Skipped']

  it('is run, and due at its next time', async () => {
    const one = process()
    await fire(one, 'NextRunAt')
    await one.stop()
    expect([looks, fields['NextRunAt']]).to.deep.equal([1, '2027-01-05T06:00:00Z'])
  })

  it('is run by one of two processes, each time', async () => {
    const [one, other] = [process(), process()]
    await Promise.all([fire(one, 'NextRunAt'), fire(other, 'NextRunAt')])
    await Promise.all([one.stop(), other.stop()])
    expect(looks).to.equal(1)
  })

  it('is run once after three days, which are said to be missed', async () => {
    now = at('2027-01-07T09:00:00Z')
    const one = process()
    await fire(one, 'NextRunAt')
    expect([looks, fields['NextRunAt'], fields['Health']]).to.deep.equal([
      1,
      '2027-01-08T06:00:00Z',
      'Missed',
    ])
    await one.stop()
    fields['OnMissedRuns'] = 'none'
    now = at('2027-01-09T09:00:00Z')
    const other = process()
    await fire(other, 'NextRunAt')
    await other.stop()
    expect([looks, skipped()]).to.deep.equal([1, 'it was missed'])
  })

  it('repeats nothing when the clock goes back', async () => {
    const one = process()
    await fire(one, 'NextRunAt')
    now = at('2027-01-04T04:00:00Z')
    await fire(one, 'NextRunAt')
    now = at('2027-01-04T06:00:01Z')
    await fire(one, 'NextRunAt')
    await one.stop()
    expect(looks).to.equal(1)
  })

  it('is left out while the run before goes on', async () => {
    let end = () => {}
    waitingFor = new Promise((resolve) => (end = resolve))
    const one = process()
    await fire(one, 'NextRunAt')
    now = at('2027-01-05T06:00:00Z')
    await fire(one, 'NextRunAt')
    expect([looks, skipped()]).to.deep.equal([1, 'the run before goes on'])
    end()
    await one.stop()
  })

  it('is not lost when something else of it changes at that moment', async () => {
    let isChanged = false
    meanwhile = () => {
      if (isChanged) return
      isChanged = true
      version++
      fields['LastRun'] = { At: '2027-01-04T06:00:00Z' }
    }
    const one = process()
    await fire(one, 'NextRunAt')
    await one.stop()
    expect([looks, fields['NextRunAt']]).to.deep.equal([1, '2027-01-05T06:00:00Z'])
  })

  it('is overdue when nothing has come since the day began, until something does', async () => {
    const expecting = { ExpectBy: { Time: '09:00', Days: '1-5' }, TimeZone: 'Europe/Amsterdam' }
    Object.assign(fields, expecting, {
      ExpectAt: '2027-01-08T08:00:00Z',
      LastTakenAt: '2027-01-07T22:59:00Z',
    })
    now = at('2027-01-08T08:00:01Z')
    const one = process()
    await fire(one, 'ExpectAt')
    expect([fields['OverdueSince'], fields['ExpectAt']]).to.deep.equal([
      '2027-01-08T08:00:00Z',
      '2027-01-11T08:00:00Z',
    ])
    now = at('2027-01-11T08:00:01Z')
    await fire(one, 'ExpectAt')
    expect(fields['OverdueSince']).to.equal('2027-01-08T08:00:00Z')
    fields['LastTakenAt'] = '2027-01-11T23:01:00Z'
    now = at('2027-01-12T08:00:01Z')
    await fire(one, 'ExpectAt')
    expect(fields['OverdueSince']).to.equal(undefined)
    await one.stop()
  })
})
