/**
 * `node scripts/load/slow-headers.ts [--connections 2000]` (quality L2): connections that never finish the head of a
 * request. A third send nothing at all, a third a byte a second, a third begin a second request after a first one that
 * was answered. Goal: all dropped within 15 s, and others are served meanwhile.
 */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { numbersFromArguments } from '../faults/arguments.ts'
import { besides } from '../../bench/bystander.ts'
import { withFilledService } from './filled-service.ts'
import { judge } from './judged.ts'
import { needOpenFiles, openedMany } from './raw-client.ts'

const { connections } = numbersFromArguments({ connections: 2_000 })
const GOAL_S = 15
/** Who is not dropped by then never will be. */
const PATIENCE_MS = 30_000

needOpenFiles(connections + 500)
await withFilledService(1_000, async (service) => {
  const { result: seconds, waits } = await besides(service, async () => {
    const sockets = await openedMany(service.port, connections)
    const lasted = await Promise.all(sockets.map((socket, i) => untilDropped(socket, i % 3)))
    return lasted.sort((one, other) => one - other)
  })
  judge([
    { what: 'dropped, the first after', value: seconds[0] ?? 0, unit: 's' },
    { what: 'dropped, half of them after', value: seconds[seconds.length >> 1] ?? 0, unit: 's' },
    { what: 'dropped, the last after', value: seconds.at(-1) ?? 0, unit: 's', most: GOAL_S },
    { what: `requests of others (${waits.count}), p99`, value: waits.p99, unit: 'ms' },
    { what: 'requests of others that failed', value: waits.failures, unit: '', most: 0 },
  ])
})

/** Seconds from the beginning of the slow request to the end of its connection. */
async function untilDropped(socket: Socket, kind: number): Promise<number> {
  socket.on('error', () => {})
  if (kind === 2) {
    socket.write('GET /api/v1/health/live HTTP/1.1\r\nHost: x\r\n\r\n')
    await once(socket, 'data')
  }
  socket.resume()
  const begun = performance.now()
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  if (kind > 0) socket.write('GET /api/v1/health/live HTTP/1.1\r\nX-Slow: ')
  const drip = setInterval(() => kind > 0 && socket.writable && socket.write('x'), 1_000)
  const patience = setTimeout(() => socket.destroy(), PATIENCE_MS)
  await closed
  clearInterval(drip)
  clearTimeout(patience)
  return (performance.now() - begun) / 1_000
}
