/**
 * `node scripts/webhooks/silent.ts [--silent 50] [--healthy 5] [--writes 200]`: endpoints that never answer, beside healthy
 * ones: how long after each write do the healthy ones get it (W3)? Exit code 1 when their p99 is over a second.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { startService, withFolder } from '../../test/faults/ledger/service-process.ts'
import { numbersFromArguments } from '../faults/arguments.ts'
import { apiOf, quantile } from './api.ts'

const { silent, healthy, writes } = numbersFromArguments({ silent: 50, healthy: 5, writes: 200 })

const written = new Map<string, number>()
const latencies: number[] = []
let held = 0
const receiver = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    if (request.url === '/silent') return void held++
    const { Data } = JSON.parse(Buffer.concat(parts).toString()) as { Data: { Name: string } }
    latencies.push(performance.now() - written.get(Data.Name)!)
    response.writeHead(204).end()
  })
})
receiver.listen(0, '127.0.0.1')
const port = () => (receiver.address() as AddressInfo).port

await withFolder(async (dataDir) => {
  const service = await startService({ dataDir, settings: { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' } })
  const api = apiOf(service)
  const to = (path: string) => api.webhook(`http://127.0.0.1:${port()}${path}`, ['tenant.created'])
  for (let i = 0; i < silent; i++) await to('/silent')
  for (let i = 0; i < healthy; i++) await to('/healthy')
  for (let i = 0; i < writes; i++) {
    written.set(`Tenant ${i}`, performance.now())
    await api.send('POST', 'tenant', { Name: `Tenant ${i}` })
    await delay(50)
  }
  while (latencies.length < writes * healthy) await delay(50)
  const p99 = quantile(latencies, 0.99)
  console.log(
    `${silent} silent endpoints held ${held} deliveries; ${healthy} healthy ones got ${latencies.length} after ` +
      `${quantile(latencies, 0.5).toFixed(1)} ms (p50), ${p99.toFixed(1)} ms (p99)`,
  )
  if (p99 > 1_000) process.exitCode = 1
  await service.end('SIGTERM')
})
receiver.closeAllConnections()
receiver.close()
