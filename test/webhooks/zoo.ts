/**
 * A zoo of receivers: each misbehaves in its own way for a while, and most recover. What each has taken is kept, so that
 * after kills of the service it can be told what is missing and what came twice.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** How a receiver answers a request that it does not take; the number is that of the requests before. */
type Misbehaviour = (request: IncomingMessage, response: ServerResponse) => void

const later = (socket: Socket, work: () => void) => {
  const timer = setInterval(work, 500)
  socket.on('close', () => clearInterval(timer))
}

/** By name; of those that recover, every so many requests is taken. */
const KINDS: Readonly<
  Record<string, { readonly work?: Misbehaviour; readonly fails: (n: number) => boolean }>
> = {
  ok: { fails: () => false },
  noContent: { fails: () => false },
  error500: { fails: (n) => n % 3 === 0, work: (_, response) => void response.writeHead(500).end('no') },
  busy429: {
    fails: (n) => n % 3 === 0,
    work: (_, response) => void response.writeHead(429, { 'Retry-After': '1' }).end(),
  },
  redirect: {
    fails: (n) => n % 5 === 0,
    work: (_, response) => void response.writeHead(302, { Location: '/redirected' }).end(),
  },
  reset: { fails: (n) => n % 4 === 0, work: (request) => void request.socket.resetAndDestroy() },
  // These hold up one delivery each for as long as an attempt may take: a few are enough.
  silent: { fails: (n) => n < 2, work: () => {} },
  byteByByte: {
    fails: (n) => n < 2,
    work(request, response) {
      response.writeHead(200, { 'Content-Length': '100000' })
      later(request.socket, () => void response.write('x'))
    },
  },
  endless: {
    // Its 2xx counts, however long it goes on.
    fails: () => false,
    work: () => {},
  },
  gone410: { fails: () => true, work: (_, response) => void response.writeHead(410).end() },
}

export const RECOVERING = Object.keys(KINDS).filter((kind) => kind !== 'gone410')

export interface Zoo {
  url(kind: string): string
  /** How often each message was taken, by `webhook-id`. */
  taken(kind: string): ReadonlyMap<string, number>
  requests(kind: string): number
  /** Requests at a place that only a redirect leads to. */
  redirected(): number
  close(): Promise<void>
}

export async function openZoo(): Promise<Zoo> {
  const taken = new Map(Object.keys(KINDS).map((kind) => [kind, new Map<string, number>()]))
  const requests = new Map<string, number>()
  const sockets = new Set<Socket>()
  let redirected = 0

  const take = (request: IncomingMessage, response: ServerResponse) => {
    const kind = (request.url ?? '').slice(1)
    const receiver = KINDS[kind]
    if (!receiver) {
      redirected++
      return void response.writeHead(204).end()
    }
    const before = requests.get(kind) ?? 0
    requests.set(kind, before + 1)
    if (receiver.fails(before)) return receiver.work!(request, response)
    const id = String(request.headers['webhook-id'])
    const of = taken.get(kind)!
    of.set(id, (of.get(id) ?? 0) + 1)
    if (kind !== 'endless') return void response.writeHead(kind === 'noContent' ? 204 : 200).end()
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    }
    response.on('drain', more)
    more()
  }

  const server = createServer((request, response) => {
    response.on('error', () => {})
    request.on('error', () => {})
    request.resume()
    request.on('end', () => take(request, response))
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (kind) => `http://127.0.0.1:${port}/${kind}`,
    taken: (kind) => taken.get(kind)!,
    requests: (kind) => requests.get(kind) ?? 0,
    redirected: () => redirected,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
