/** A receiver of webhooks for tests: an HTTP server on loopback that keeps what it gets and answers as it is told. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Fields } from '../../src/domain/json.ts'

export interface Received {
  readonly path: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** The body as it came. */
  readonly text: string
  readonly json: { readonly Event: string; readonly Timestamp: string; readonly Data: Fields }
  /** `performance.now()` when it was complete. */
  readonly at: number
}

/** Answers a request; `count` is how many have come before on the same path. */
export type Answering = (request: Received, response: ServerResponse, count: number) => void

export interface Receiver {
  readonly url: string
  readonly port: number
  readonly received: readonly Received[]
  /** How many connections were made to it. */
  connections(): number
  /** Resolves when this many have come in all. */
  got(count: number): Promise<readonly Received[]>
  answer(answering: Answering): void
  stop(): Promise<void>
}

export const ok: Answering = (_request, response) => void response.writeHead(204).end()

const LONGEST_MS = 15_000

export async function startReceiver(answering: Answering = ok): Promise<Receiver> {
  const received: Received[] = []
  const counts = new Map<string, number>()
  const sockets = new Set<Socket>()
  let connections = 0
  let waiting: (() => void)[] = []
  let answer = answering

  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const text = Buffer.concat(parts).toString()
    const path = request.url ?? ''
    const one: Received = {
      path,
      method: request.method ?? '',
      headers: request.headers,
      text,
      get json() {
        return JSON.parse(text) as Received['json']
      },
      at: performance.now(),
    }
    received.push(one)
    const count = counts.get(path) ?? 0
    counts.set(path, count + 1)
    answer(one, response, count)
    for (const wake of waiting.splice(0)) wake()
  }

  const server = createServer((request, response) => void take(request, response).catch(() => {}))
  server.on('connection', (socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    port,
    received,
    connections: () => connections,
    async got(count) {
      const end = performance.now() + LONGEST_MS
      while (received.length < count) {
        const left = end - performance.now()
        if (left <= 0)
          throw new Error(`${received.length} of ${count} webhooks came in ${LONGEST_MS / 1_000} s`)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          waiting.push(() => {
            clearTimeout(timer)
            resolve()
          })
        })
      }
      return received
    },
    answer: (next) => void (answer = next),
    async stop() {
      waiting = []
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
