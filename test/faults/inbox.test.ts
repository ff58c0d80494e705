/**
 * Notifications and kill -9: whatever was answered with 200 is applied in the end, once, whatever the moment. What was not
 * answered comes again, as senders do it.
 *
 * `INBOX_KILLS` kills more often than a test has time for; `INBOX_SEED` chooses other moments.
 */
import { createHmac } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { client } from '../support/service.ts'
import { seededRandom } from '../support/random.ts'
import { eventually } from '../system/support/eventually.ts'
import { startService, withFolder, type ServiceProcess } from './ledger/service-process.ts'
import { rounds } from '../support/rounds.ts'

const KILLS = Number(process.env['INBOX_KILLS'] ?? rounds(2, 4))
const SEED = Number(process.env['INBOX_SEED'] ?? 1)
const LANES = 8
const SECRET = 'whsec_killed'

describe('notifications and kill -9', function () {
  this.timeout(60_000 + KILLS * 20_000)

  it('applies each that was answered once, however often the process is killed', () =>
    withFolder(async (dataDir) => {
      const random = seededRandom(SEED)
      let service: ServiceProcess = await startService({ dataDir })
      const api = client(() => service.url, service.token)
      const { data } = await api.post('integrations', {
        Definition: 'stripe',
        Credentials: { webhookSecret: SECRET },
      })
      await api.post(`integrations/${data.Id}/start`)
      const acknowledged = new Set<string>()
      let count = 0
      let isOver = false

      const send = async (id: string): Promise<boolean> => {
        const seconds = Math.floor(Date.now() / 1_000)
        const intent = { id, amount_received: 100, currency: 'eur', metadata: {} }
        const event = { id: `evt_${id}`, type: 'payment_intent.succeeded', created: seconds }
        const body = JSON.stringify({ ...event, data: { object: intent } })
        const v1 = createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex')
        const headers = { 'Stripe-Signature': `t=${seconds},v1=${v1}`, Authorization: '' }
        const answer = await api
          .send('POST', `in/${data.Id}/events`, { body, headers })
          .catch(() => undefined)
        return answer?.status === 200
      }
      const lane = async () => {
        while (!isOver) {
          const id = `pi_${++count}`
          while (!(await send(id))) await delay(100)
          acknowledged.add(id)
        }
      }
      const lanes = Array.from({ length: LANES }, lane)
      for (let kill = 0; kill < KILLS; kill++) {
        await delay(random.between(200, 1_200))
        await service.end('SIGKILL')
        service = await startService({ dataDir })
      }
      isOver = true
      await Promise.all(lanes)

      const inbox = (state: string) => api.get(`integrations/${data.Id}/inbox?state=${state}&pageSize=1`)
      await eventually(
        'all are decided on',
        async () => expect((await inbox('stored')).pagination.TotalRecords).to.equal(0),
        60_000,
      )
      expect((await inbox('applied')).pagination.TotalRecords).to.equal(acknowledged.size)
      const found: string[] = []
      for (let page = 1; found.length < acknowledged.size; page++) {
        const { list } = await api.get(`payment?page=${page}&pageSize=100&fields=GatewayReference`)
        if (list.length === 0) break
        found.push(...list.map((payment) => payment['GatewayReference'] as string))
      }
      expect(acknowledged.size).to.be.greaterThan(LANES)
      expect(found.sort()).to.deep.equal([...acknowledged].sort())
      await service.end('SIGTERM')
    }))
})
