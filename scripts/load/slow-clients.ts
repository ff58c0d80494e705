/**
 * `node scripts/load/slow-clients.ts [--bodies 200] [--readers 100]` (quality L3): clients that send ten megabytes and
 * never the last byte, and clients that ask for tables, the audit and long lists and read nothing. Goal: the memory of
 * the service stays within 512 MB, does not grow while they hold on, and others are served; all are dropped in the end.
 */
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { memoryOf, watchingMemory } from '../../bench/measures/memory.ts'
import { get, access } from '../../bench/requests.ts'
import { numbersFromArguments } from '../faults/arguments.ts'
import { besides } from '../../bench/bystander.ts'
import { withFilledService, type FilledService } from './filled-service.ts'
import { judge } from './judged.ts'
import { needOpenFiles, openedMany } from './raw-client.ts'

const { bodies, readers } = numbersFromArguments({ bodies: 200, readers: 100 })
const CONTRACTS = 20_000
const BODY = 10_000_000
const HOLD_MS = 20_000
/** The service gives up on a body after 60 s, and on a reader 60 s after it took the last byte, or sooner. */
const PATIENCE_MS = 75_000
/** Who asks once has no more to ask: a refusal ends the connection, so that none is counted that is idle only. */
const once = (request: string) => request.replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n')
/** Lists again and again: a connection that is not read must not be answered for ever. */
const PIPELINED = 200
const ANSWERS = [
  once(get('/api/v1/audit/export')),
  once(get('/api/v1/warehouse/wh_Leasing_Contract', { format: 'json' })),
  once(get('/api/v1/warehouse/wh_Leasing_Contract', { format: 'csv' })),
  once(get('/api/v1/warehouse/wh_Leasing_Contract_history', { format: 'jsonl' })),
  get('/api/v1/contract', { pageSize: 100 }).repeat(PIPELINED),
]

needOpenFiles(bodies + readers + 500)
await withFilledService(CONTRACTS, async (service) => {
  await held(service, `${bodies} bodies of 10 MB without an end`, bodies, async (socket) => {
    const head = `POST /api/v1/contract/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${access.token}\r\n`
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: ${BODY}\r\n\r\n{"Records":["`)
    const part = Buffer.alloc(100_000, 'x')
    for (let sent = 0; sent < BODY - 200_000 && socket.writable; sent += part.length)
      if (!socket.write(part)) await taken(socket)
    socket.resume()
  })
  await held(service, `${readers} readers that read nothing`, readers, async (socket, i) => {
    socket.pause()
    socket.write(ANSWERS[i % ANSWERS.length]!)
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
    for (const socket of sockets) socket.on('error', () => {})
    const begun = performance.now()
    const watched = await watchingMemory(pid, async () => {
      await Promise.all(sockets.map((socket, i) => begin(socket, i)))
      await delay(HOLD_MS)
      const early = rss()
      await delay(HOLD_MS)
      return { early, late: rss(), stillOpen: heldByService(sockets) }
    })
    const passed = () => (performance.now() - begun) / 1_000
    let left = watched.result.stillOpen
    let last = passed()
    while (left > 0 && last * 1_000 < PATIENCE_MS) {
      await delay(500)
      last = passed()
      left = heldByService(sockets)
    }
    for (const socket of sockets) socket.destroy()
    return { ...watched.result, most: watched.rss ?? 0, left, last }
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
    { what: `after ${result.last.toFixed(0)} s`, value: result.left, unit: '', most: 0 },
    { what: `requests of others (${waits.count}), p99`, value: waits.p99, unit: 'ms' },
    { what: 'that failed', value: waits.failures, unit: '', most: 0 },
  ])
}

/**
 * How many of the connections the service has not ended: a client that does not read does not learn of the end, and one
 * that begins to read changes what is measured. So the system is asked, which knows the service's ends, too.
 */
function heldByService(sockets: readonly Socket[]): number {
  const ESTABLISHED = '01'
  // Each line: number, local address, remote address, state …; an address is hexadecimal, `0100007F:1F90`.
  const lines = readFileSync('/proc/net/tcp', 'latin1').split('\n')
  const open = new Set<number>()
  for (const line of lines) {
    const [, , remote, state] = line.trim().split(/\s+/)
    if (state === ESTABLISHED && remote) open.add(parseInt(remote.split(':')[1]!, 16))
  }
  return sockets.filter(({ localPort }) => localPort !== undefined && open.has(localPort)).length
}
