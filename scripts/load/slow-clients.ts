/**
 * `node scripts/load/slow-clients.ts [--bodies 200] [--readers 100]` (quality L3): clients that send ten megabytes and
 * never the last byte, and clients that ask for tables, the audit and long lists and read nothing. Goal: the memory of
 * the service stays within 512 MB, does not grow while they hold on, and others are served; all are dropped in the end.
 */
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { memoryOf, watchingMemory } from '../../bench/memory.ts'
import { get, TOKEN } from '../../bench/requests.ts'
import { numbersFromArguments } from '../faults/arguments.ts'
import { besides } from '../../bench/bystander.ts'
import { withFilledService, type FilledService } from './filled-service.ts'
import { judge } from './judged.ts'
import { needOpenFiles, openedMany } from './raw-client.ts'

const { bodies, readers } = numbersFromArguments({ bodies: 200, readers: 100 })
const CONTRACTS = 20_000
const BODY = 10_000_000
const HOLD_MS = 20_000
/** The service gives up on a body after 60 s, and on a reader 60 s after it took the last byte. */
const PATIENCE_MS = 75_000
const ANSWERS = [
  get('/api/v1/audit/export'),
  get('/api/v1/warehouse/wh_Leasing_Contract', { format: 'json' }),
  get('/api/v1/warehouse/wh_Leasing_Contract', { format: 'csv' }),
  get('/api/v1/warehouse/wh_Leasing_Contract_history', { format: 'jsonl' }),
  get('/api/v1/contract', { pageSize: 100 }),
]

needOpenFiles(bodies + readers + 500)
await withFilledService(CONTRACTS, async (service) => {
  await held(service, `${bodies} bodies of 10 MB without an end`, bodies, async (socket) => {
    const head = `POST /api/v1/contract/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n`
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${BODY}\r\n\r\n{"Records":["`)
    const part = Buffer.alloc(100_000, 'x')
    for (let sent = 0; sent < BODY - 200_000 && socket.writable; sent += part.length)
      if (!socket.write(part)) await taken(socket)
    socket.resume()
  })
  await held(service, `${readers} readers that read nothing`, readers, async (socket, i) => {
    socket.pause()
    // Lists again and again: a connection that is not read must not be answered for ever.
    const text = ANSWERS[i % ANSWERS.length]!
    socket.write(text.includes('pageSize') ? text.repeat(200) : text)
  })
})

/** Resolves when what was written is taken, or the connection has ended. */
function taken(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done).off('close', done)
      resolve()
    }
    socket.on('drain', done).on('close', done)
  })
}

/** Opens the connections, lets `begin` do its worst on each, and looks at the memory until all are dropped. */
async function held(
  service: FilledService,
  what: string,
  count: number,
  begin: (socket: Socket, index: number) => Promise<void>,
): Promise<void> {
  const { pid, port } = service
  const rss = () => memoryOf(pid)?.rss ?? 0
  const before = rss()
  const { result, waits } = await besides(service, async () => {
    const sockets = await openedMany(port, count)
    let open = sockets.length
    for (const socket of sockets) {
      socket.on('error', () => {})
      socket.once('close', () => open--)
    }
    const watched = await watchingMemory(pid, async () => {
      await Promise.all(sockets.map((socket, i) => begin(socket, i)))
      await delay(HOLD_MS)
      const early = rss()
      await delay(HOLD_MS)
      return { early, late: rss(), stillOpen: open }
    })
    const patience = performance.now() + PATIENCE_MS - 2 * HOLD_MS
    // A socket that is not read does not learn of its end: reading begins now, and what the service holds is its own.
    while (open > 0 && performance.now() < patience) await delay(500)
    for (const socket of sockets) socket.resume()
    await delay(1_000)
    const left = open
    for (const socket of sockets) socket.destroy()
    return { ...watched.result, most: watched.rss ?? 0, left }
  })
  await delay(3_000)
  console.log(`${what}:`)
  judge([
    { what: 'memory before', value: before, unit: 'MB' },
    { what: 'at most meanwhile', value: result.most, unit: 'MB', most: 512 },
    {
      what: `growth from ${HOLD_MS / 1_000} s to ${(2 * HOLD_MS) / 1_000} s`,
      value: result.late - result.early,
      unit: 'MB',
      most: 32,
    },
    { what: 'afterwards', value: rss(), unit: 'MB' },
    { what: `connections after ${(2 * HOLD_MS) / 1_000} s`, value: result.stillOpen, unit: '' },
    { what: `after ${PATIENCE_MS / 1_000} s`, value: result.left, unit: '', most: 0 },
    { what: `requests of others (${waits.count}), p99`, value: waits.p99, unit: 'ms' },
    { what: 'that failed', value: waits.failures, unit: '', most: 0 },
  ])
}
