/**
 * `node scripts/load/connections.ts [--connections 10000] [--per-second 1000] [--seconds 20]` (quality L1): so many
 * connections that are kept open and used in turn. Goal: p99 of 500 ms, 512 MB.
 */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { latencyHistogram } from '../../bench/load/histogram.ts'
import { responseReader } from '../../bench/load/response-reader.ts'
import { memoryOf, watchingMemory } from '../../bench/measures/memory.ts'
import { get } from '../../bench/requests.ts'
import { numbersFromArguments } from '../faults/arguments.ts'
import { withFilledService } from './filled-service.ts'
import { judge } from './judged.ts'
import { needOpenFiles, openedMany } from './raw-client.ts'

const {
  connections,
  'per-second': perSecond,
  seconds,
} = numbersFromArguments({ connections: 10_000, 'per-second': 1_000, seconds: 20 })
const TICK_MS = 10
const CONTRACTS = 10_000

needOpenFiles(connections + 500)
await withFilledService(CONTRACTS, async ({ port, pid, dataset }) => {
  const requests = dataset.contracts
    .flatMap((key, i) => [
      get(`/api/v1/contract/${key}`),
      get(`/api/v1/contract/${key}`),
      get('/api/v1/contract', { page: 1 + (i % 100) }),
    ])
    .map((text) => Buffer.from(text))
  const latencies = latencyHistogram()
  let broken = 0
  let refused = 0
  let answered = 0
  let skipped = 0

  const firstUse = async (socket: Socket) => {
    socket.write(requests[0]!)
    await once(socket, 'data')
  }
  const use = async () => {
    const begun = performance.now()
    // Each is used once at once: a new connection without a request is dropped after 10 s.
    const sockets = await openedMany(port, connections, firstUse)
    console.log(`${connections} connections opened in ${((performance.now() - begun) / 1_000).toFixed(1)} s`)
    const sentAt = new Float64Array(connections) // 0: nothing is under way
    sockets.forEach((socket, i) => {
      const reader = responseReader({
        keepBodies: false,
        onResponse({ status }) {
          latencies.record(performance.now() - sentAt[i]!)
          sentAt[i] = 0
          answered++
          if (status > 299) refused++
        },
      })
      socket.on('data', (chunk: Buffer) => reader.push(chunk))
      socket.on('error', () => {})
      socket.once('close', () => broken++)
    })
    const start = performance.now()
    let next = 0
    for (let now = start; now < start + seconds * 1_000; now = performance.now()) {
      const due = Math.floor(((now - start) / 1_000) * perSecond)
      for (; next < due; next++) {
        const i = next % connections
        if (sentAt[i] !== 0) skipped++
        else {
          sentAt[i] = performance.now()
          sockets[i]!.write(requests[next % requests.length]!)
        }
      }
      await delay(TICK_MS)
    }
    while (sentAt.some((at) => at !== 0) && broken === 0) await delay(TICK_MS)
    for (const socket of sockets) socket.removeAllListeners().destroy()
  }
  const before = memoryOf(pid)?.rss ?? 0
  const { rss = 0 } = await watchingMemory(pid, use)
  judge([
    { what: 'requests answered', value: answered, unit: '' },
    { what: 'p50', value: latencies.percentile(0.5), unit: 'ms' },
    { what: 'p99', value: latencies.percentile(0.99), unit: 'ms', most: 500 },
    { what: 'resident memory of the service before', value: before, unit: 'MB' },
    { what: 'and at most meanwhile', value: rss, unit: 'MB', most: 512 },
    { what: 'connections that broke', value: broken, unit: '', most: 0 },
    { what: 'answers that were not 2xx', value: refused, unit: '', most: 0 },
    { what: 'requests not sent, as the one before was under way', value: skipped, unit: '', most: 0 },
  ])
})
