/** What readiness says of the parts of a process, at any time and not only at its start. */
import { expect } from 'chai'
import { lagsOf } from '../../../src/api/operations/lags.ts'
import { watchReadiness } from '../../../src/api/operations/watch-readiness.ts'
import { Denied, Unavailable } from '../../../src/domain/errors.ts'
import type { ProjectionControl } from '../../../src/ports/projection-control.ts'
import type { ProjectionStatus } from '../../../src/ports/read-models.ts'
import { knownStatuses } from '../../../src/projections/known-statuses.ts'

const live = (name: string, position = 5): ProjectionStatus => ({ name, position, state: 'live' })
const control = (status: () => Promise<readonly ProjectionStatus[]>): ProjectionControl => ({
  status,
  rebuild: () => Promise.reject(new Error('not here')),
  resume: () => Promise.reject(new Error('not here')),
})
const away = () => Promise.reject(new Unavailable('ended'))

describe('readiness', () => {
  /** What is down after each look. `looks`: how the parts stand then, and how much time has passed before it. */
  async function downAfter(
    looks: readonly {
      readonly head?: () => Promise<number>
      readonly records?: () => Promise<readonly ProjectionStatus[]>
      readonly webhooks?: () => Promise<readonly ProjectionStatus[]>
      readonly passed?: number
    }[],
  ): Promise<string[][]> {
    let at = 0
    let now = looks[0]!.passed ?? 0
    const records = () => (looks[at]!.records ?? (async () => [live('records')]))()
    const webhooks = control(() => (looks[at]!.webhooks ?? (async () => [live('webhooks')]))())
    const down: string[][] = []
    const done = Promise.withResolvers<void>()
    const readiness = watchReadiness({
      events: { head: () => (looks[at]!.head ?? (async () => 5))() },
      readModels: { status: records },
      statuses: knownStatuses([control(records), webhooks]),
      clock: { elapsed: () => now },
      others: [() => ({ name: 'keys', down: undefined, required: true })],
      async pause() {
        down.push(
          readiness
            .checks()
            .flatMap(({ name, down, required }) =>
              down === undefined ? [] : [`${required ? '! ' : ''}${name}: ${down}`],
            ),
        )
        at++
        if (at < looks.length) now += looks[at]!.passed ?? 0
        else {
          readiness.stop()
          done.resolve()
        }
      },
    })
    await done.promise
    return down
  }

  it('follows the engines as they go and come back', async () => {
    const denied = () => Promise.reject(new Denied('no'))
    expect(await downAfter([{}, { head: away }, { head: denied }, { records: away }, {}])).to.deep.equal([
      [],
      ['! events: No answer from the event store for now.'],
      ['! events: The event store denies access to the service.'],
      [
        '! read models: No answer from the read models for now.',
        'projection records: It cannot be asked for its status.',
      ],
      [],
    ])
  })

  it('shows what is parked or cannot be asked, which stops no request', async () => {
    const parked = async () => [
      { ...live('records'), state: 'parked', error: { position: 6, message: 'secret text' } } as const,
    ]
    expect(await downAfter([{}, { records: parked, webhooks: away }])).to.deep.equal([
      [],
      [
        'projection records: It has stopped before an event that it cannot handle.',
        'projection webhooks: It cannot be asked for its status.',
      ],
    ])
  })

  it('says why a projection waits for the operator', async () => {
    const error = { position: 6, message: 'Set what to do.', isPublic: true } as const
    const waiting = async () => [{ ...live('webhooks'), state: 'parked', error } as const]
    expect(await downAfter([{ webhooks: waiting }])).to.deep.equal([['projection webhooks: Set what to do.']])
  })

  it('shows at once a projection whose store refuses what it writes', async () => {
    const stuck = async () => [{ ...live('records'), trouble: 'disk I/O error: secret path' }]
    expect(await downAfter([{ records: stuck }, {}])).to.deep.equal([
      ['projection records: Its store refuses what it writes. It is tried again until it passes.'],
      [],
    ])
  })

  it('shows a projection that is behind and does not move for a minute', async () => {
    const behind = (position: number) => ({
      head: async () => 9,
      webhooks: async () => [live('webhooks', position)],
    })
    const records = async () => [live('records', 9)]
    const looks = [behind(5), behind(5), behind(5), behind(6), behind(6)].map((look) => ({
      ...look,
      records,
      passed: 30_000,
    }))
    expect(await downAfter(looks)).to.deep.equal([
      [],
      [],
      ['projection webhooks: It is behind and has not moved for 60 s.'],
      [],
      [],
    ])
  })
})

describe('the lags of projections', () => {
  const events = { head: async () => 7 }

  it('are known of those that answer, though others do not', async () => {
    const statuses = knownStatuses([control(away), control(async () => [live('records'), live('search', 7)])])
    expect(await lagsOf(statuses, events)).to.deep.equal([
      { name: 'records', lag: 2, parked: false },
      { name: 'search', lag: 0, parked: false },
    ])
  })

  it('are not known without the event store; which are parked is', async () => {
    const parked = { ...live('records'), state: 'parked' } as const
    expect(await lagsOf(knownStatuses([control(async () => [parked])]), { head: away })).to.deep.equal([
      { name: 'records', lag: undefined, parked: true },
    ])
  })
})
