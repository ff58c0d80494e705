/**
 * Readings by MQTT and kill -9: every message that the broker has taken becomes its reading, once, whatever the moment at which the
 * service dies.
 *
 * `MQTT_KILLS` kills more often than a test has time for; `MQTT_SEED` chooses other moments.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { missing, startMosquitto } from '../engines/mosquitto/start.ts'
import { suiteOf } from '../engines/suite-of.ts'
import { publish } from '../support/mqtt-publisher.ts'
import { seededRandom } from '../support/random.ts'
import { client } from '../support/service.ts'
import { eventually } from '../system/support/eventually.ts'
import { startService, withFolder, type ServiceProcess } from './ledger/service-process.ts'
import { rounds } from '../support/rounds.ts'

const KILLS = Number(process.env['MQTT_KILLS'] ?? rounds(2, 4))
const SEED = Number(process.env['MQTT_SEED'] ?? 1)
const MESSAGES_A_KILL = 200
const settings = { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' }

suiteOf('readings by MQTT and kill -9', missing)('readings by MQTT and kill -9', function () {
  this.timeout(120_000 + KILLS * 20_000)

  it('has each reading once, with or without a time of its own', () =>
    withFolder(async (dataDir) => {
      const broker = await startMosquitto()
      const random = seededRandom(SEED)
      let service: ServiceProcess = await startService({ dataDir, settings })
      const api = client(() => service.url, service.token)
      await api.post('sensor', { Name: 'Cellar', SerialNumber: 'urn:dev:ow:1' })
      const made = await api.post('integrations', { Definition: 'mqtt', BaseUrl: broker.url })
      await api.post(`integrations/${made.data.Id}/start`)
      let count = 0
      const message = () => {
        const n = count++
        // Half of them say when, which is what they are known by; the others are known by their delivery alone.
        const time = n % 2 === 0 ? { bt: 1_800_000_000 + n } : {}
        const list = [{ bn: 'urn:dev:ow:1:', ...time, n: 'temp', v: Math.floor(n / 2) }]
        return { topic: 'sensors/cellar', payload: JSON.stringify(list) }
      }
      // The broker knows the subscription from the first connection on.
      await eventually('it is connected', async () => {
        await publish(broker.url, [message()])
        const { pagination } = await api.get('sensorreading?pageSize=1')
        expect(pagination.TotalRecords).to.be.greaterThan(0)
      })
      const first = count
      for (let kill = 0; kill < KILLS; kill++) {
        const publishing = publish(broker.url, Array.from({ length: MESSAGES_A_KILL }, message))
        await delay(random.between(20, 900))
        await service.end('SIGKILL')
        await publishing
        service = await startService({ dataDir, settings })
      }
      const valuesOf = async () => {
        const found: number[] = []
        for (let page = 1, more = true; more; page++) {
          const { list } = await api.get(`sensorreading?page=${page}&pageSize=100&fields=Value&sort=Value`)
          found.push(...list.map(({ Value }) => Value as number))
          more = list.length === 100
        }
        return found
      }
      const total = async () => (await api.get('sensorreading?pageSize=1')).pagination.TotalRecords
      const wanted = KILLS * MESSAGES_A_KILL
      await eventually('all are there', async () => expect(await total()).to.be.least(wanted + 1), 60_000)
      await eventually(
        'all are decided on',
        async () => {
          const { pagination } = await api.get(`integrations/${made.data.Id}/inbox?state=stored&pageSize=1`)
          expect(pagination.TotalRecords).to.equal(0)
        },
        60_000,
      )
      const values = await valuesOf()
      const times = new Map<number, number>()
      for (const value of values) times.set(value, (times.get(value) ?? 0) + 1)
      // Those before the subscription may have found nobody.
      for (let n = first + (first % 2); n + 1 < count; n += 2)
        expect(times.get(n / 2), `readings ${n} and ${n + 1}`).to.equal(2)
      await service.end('SIGTERM')
      await broker.stop()
    }))
})
