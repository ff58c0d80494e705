/**
 * `node scripts/webhooks/drain.ts [--events 10000] [--endpoints 20]`: how fast an outbox is filled and drained (W7). The
 * events are made while nobody listens, then all endpoints are sent all of them. Also prints how soon a single write is
 * delivered when nothing else is to be done.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { startService, withFolder } from '../../test/faults/ledger/service-process.ts'
import { numbersFromArguments } from '../faults/arguments.ts'
import { apiOf, quantile } from './api.ts'

const { events, endpoints } = numbersFromArguments({ events: 10_000, endpoints: 20 })
const SINGLE = 200

let received = 0
let connections = 0
let onReceived = () => {}
const receiver = createServer((request, response) => {
  request.resume()
  request.on('end', () => {
    response.writeHead(204).end()
    received++
    onReceived()
  })
})
receiver.on('connection', () => connections++)
receiver.listen(0, '127.0.0.1')
const port = () => (receiver.address() as AddressInfo).port

await withFolder(async (dataDir) => {
  const settings = { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' }
  const service = await startService({ dataDir, settings })
  const api = apiOf(service)

  const first = await api.webhook(`http://127.0.0.1:${port()}/single`, ['building.created'])
  const latencies: number[] = []
  for (let i = 0; i < SINGLE; i++) {
    const arrived = new Promise<void>((resolve) => (onReceived = resolve))
    const began = performance.now()
    const made = api.send('POST', 'building', { Name: `Building ${i}` }).then(() => performance.now() - began)
    await arrived
    latencies.push(performance.now() - began)
    await made
  }
  onReceived = () => {}
  await api.send('DELETE', `webhooks/${first}`)
  console.log(
    `a single write is delivered after ${quantile(latencies, 0.5).toFixed(1)} ms (p50), ${quantile(latencies, 0.99).toFixed(1)} ms (p99)`,
  )

  const to = []
  for (let i = 0; i < endpoints; i++)
    to.push(await api.webhook(`http://127.0.0.1:${port()}/${i}`, ['tenant.created']))
  received = 0
  connections = 0
  const began = performance.now()
  await api.tenants(events)
  const written = performance.now()
  const sent = received
  while (received < events * endpoints) await delay(20)
  const seconds = (performance.now() - began) / 1_000
  console.log(
    `${events} events written in ${((written - began) / 1_000).toFixed(1)} s, ${sent} deliveries made meanwhile`,
  )
  console.log(
    `${events * endpoints} deliveries in ${seconds.toFixed(1)} s: ${Math.round((events * endpoints) / seconds)}/s, over ${connections} connections`,
  )
  await delay(500)
  const pending = ((await api.send('GET', 'webhooks?pageSize=100'))['Data'] as { Pending: number }[]).map(
    ({ Pending }) => Pending,
  )
  console.log(
    `${received - events * endpoints} too many; still pending: ${pending.reduce((a, b) => a + b, 0)}`,
  )
  console.log(
    `printed by the service: ${
      service
        .output()
        .split('\n')
        .filter((line) => line.startsWith('{')).length
    } lines`,
  )
  await service.end('SIGTERM')
})
receiver.close()
