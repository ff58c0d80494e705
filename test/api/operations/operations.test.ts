/** What operators and probes ask, while a part of the process is down. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import express from 'express'
import { problemHandler } from '../../../src/api/http/problems.ts'
import { setArrival } from '../../../src/api/http/send.ts'
import { healthRoutes } from '../../../src/api/operations/health.ts'
import { metrics } from '../../../src/api/operations/metrics.ts'
import { projectionsArea } from '../../../src/api/operations/projections.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import type { Principal } from '../../../src/identity/principal.ts'
import type { ProjectionControl } from '../../../src/ports/projection-control.ts'
import type { Check } from '../../../src/ports/readiness.ts'
import { knownStatuses } from '../../../src/projections/known-statuses.ts'

const operator = { company: 'c', access: { grant: () => ({}) } } as unknown as Principal

describe('while a part of the process is down', () => {
  let checks: readonly Check[] = []
  let notReady: string | undefined
  let webhooksAnswer = true
  const resumed: string[] = []
  const controlOf = (name: string, answers = () => true): ProjectionControl => ({
    status: async () => {
      if (!answers()) throw new Unavailable('the thread has ended')
      return [{ name, position: 3, state: 'live' }]
    },
    rebuild: () => Promise.reject(new Error('not asked for')),
    resume: async (projection) => void resumed.push(projection),
  })
  const controls = [controlOf('webhooks', () => webhooksAnswer), controlOf('records')]
  const statuses = knownStatuses(controls)
  let stop = async () => {}
  let url = ''

  before(async () => {
    const app = express()
    app.use((_request, response, next) => {
      setArrival(response, { id: 'x', at: 0, now: 0, common: [], more: [] })
      response.locals.principal = operator
      next()
    })
    app.use(
      '/health',
      healthRoutes({
        notReady: () => notReady,
        readiness: { checks: () => checks },
        version: '1.2.3',
        deliveryQueue: () => undefined,
        webhooksHeld: () => undefined,
      }),
    )
    app.use('/projections', projectionsArea({ controls, statuses, head: async () => 4 }).router)
    app.get(
      '/metrics',
      metrics({
        version: '1.2.3',
        lags: async () => [
          { name: 'records', lag: 1, parked: false },
          { name: 'search', lag: undefined, parked: true },
        ],
        checks: () => checks,
        deliveries: async () => undefined,
        noticed: () => undefined,
        work: {
          exports: () => ({ running: 1, waiting: 2 }),
          refused: () => ({ client: 3, company: 0, rows: 0 }),
          disabledWebhooks: () => 4,
          failingIntegrations: () => 2,
          lastBackup: () => 1_700_000_000,
        },
      }).page,
    )
    const note = () => {}
    app.use(problemHandler({ debug: note, info: note, warn: note, error: note }, () => false))
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    stop = async () => void server.close()
  })
  after(() => stop())
  beforeEach(() => {
    checks = []
    notReady = undefined
    webhooksAnswer = true
  })

  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(url + path, { method })
    return { status: answer.status, json: JSON.parse(await answer.text()) as Record<string, unknown> }
  }
  const up = { name: 'events', down: undefined, required: true }

  it('the process says which version it is', async () => {
    const { status, json } = await ask('/health')
    expect([status, json['Data']]).to.deep.equal([200, { Status: 'live', Version: '1.2.3' }])
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text).to.include(`daybook_build_info{version="1.2.3",node="${process.version}"} 1`)
  })

  it('the process says what it refused, what waits, and when it was backed up', async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text)
      .to.include('daybook_exports{state="running"} 1\n')
      .and.include('daybook_exports{state="waiting"} 2\n')
    expect(text).to.include('daybook_rate_limited_total{limit="client"} 3\n')
    expect(text).to.include('daybook_webhooks_disabled_total 4\n')
    expect(text).to.include('daybook_last_backup_timestamp_seconds 1700000000\n')
  })

  it('the process is ready as long as requests do not need that part', async () => {
    checks = [up, { name: 'projection webhooks', down: 'It is parked.', required: false }]
    const { status, json } = await ask('/health/ready')
    expect([status, json['Data']]).to.deep.equal([
      200,
      {
        Status: 'ready',
        Checks: [
          { Name: 'events', State: 'up', Reason: null },
          { Name: 'projection webhooks', State: 'down', Reason: 'It is parked.' },
        ],
      },
    ])
  })

  it('the process is not ready when requests need it, and says all that is down', async () => {
    checks = [
      { name: 'projection webhooks', down: 'It is parked.', required: false },
      { name: 'read models', down: 'No answer.', required: true },
    ]
    const { status, json } = await ask('/health/ready')
    expect([status, json['Error']]).to.deep.equal([
      503,
      {
        Code: 'SERVER_ERROR',
        Message: 'No answer.',
        Details: [
          { Field: 'projection webhooks', Message: 'It is parked.' },
          { Field: 'read models', Message: 'No answer.' },
        ],
      },
    ])
  })

  it('the process is not ready while it starts', async () => {
    checks = [up]
    notReady = 'The service is starting.'
    expect((await ask('/health/ready')).status).to.equal(503)
  })

  it('metrics show it, and the numbers of all others', async () => {
    checks = [up, { name: 'projection webhooks', down: 'It is parked.', required: false }]
    const text = await (await fetch(`${url}/metrics`)).text()
    const lines = text.split('\n').filter((line) => /^daybook_(check_up|projection_)/.test(line))
    expect(lines).to.deep.equal([
      'daybook_projection_lag{projection="records"} 1',
      'daybook_projection_parked{projection="records"} 0',
      'daybook_projection_parked{projection="search"} 1',
      'daybook_check_up{check="events"} 1',
      'daybook_check_up{check="projection webhooks"} 0',
    ])
  })

  it('other projections are listed and resumed; it is shown as it was last seen', async () => {
    expect((await ask('/projections')).status).to.equal(200)
    webhooksAnswer = false
    const { json } = await ask('/projections')
    const shown = (json['Data'] as { Name: string; State: string }[]).map(({ Name, State }) => [Name, State])
    expect(shown).to.deep.equal([
      ['webhooks', 'unreachable'],
      ['records', 'live'],
    ])
    expect((await ask('/projections/records/resume', 'POST')).status).to.equal(200)
    expect(resumed).to.deep.equal(['records'])
    expect((await ask('/projections/other/resume', 'POST')).status).to.equal(503)
    webhooksAnswer = true
    expect((await ask('/projections/other/resume', 'POST')).status).to.equal(404)
  })
})
