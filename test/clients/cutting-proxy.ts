/**
 * A proxy between a client and the service that fails: it cuts the connection before a request reaches the service, in the midst
 * of the answer, or when all was done and nothing of the answer was passed on; it keeps the answer back until the client has left;
 * it answers 429 or 500 by itself. Which request it is for is counted, not drawn.
 */
import { once } from 'node:events'
import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Fault = 'before' | 'within' | 'after' | 'held' | 'busy' | 'broken'

export interface CuttingProxy {
  readonly url: string
  /** How many requests failed, and how. */
  readonly faults: Readonly<Record<Fault, number>>
  close(): Promise<void>
}

/** Of so many requests in a row, these fail. */
const ROUND = 23
const FAULT_AT: ReadonlyMap<number, Fault> = new Map([
  [3, 'before'],
  [7, 'within'],
  [11, 'after'],
  [14, 'held'],
  [17, 'busy'],
  [20, 'broken'],
])
/** What a proxy says in place of the service. */
const OWN_ANSWERS: Partial<Record<Fault, number>> = { busy: 429, broken: 500 }

/** @param upstream where the service is, without a slash at the end */
export async function cuttingProxy(upstream: string): Promise<CuttingProxy> {
  const faults: Record<Fault, number> = { before: 0, within: 0, after: 0, held: 0, busy: 0, broken: 0 }
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(upstream)
  let count = 0

  const passOn = async (request: IncomingMessage, response: ServerResponse) => {
    const fault = FAULT_AT.get(count++ % ROUND)
    if (fault) faults[fault]++
    if (fault === 'before') return void request.socket.destroy()
    const own = fault && OWN_ANSWERS[fault]
    if (own)
      return void request
        .resume()
        .on('end', () => response.writeHead(own, { 'Retry-After': '1' }).end('busy'))
    const { method, url: path, headers } = request
    const passed = send({ hostname, port, method, path, headers, agent })
    request.pipe(passed)
    const [answer] = (await once(passed, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    if (fault === 'held') return
    if (fault === 'after') return void request.socket.destroy()
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    if (fault !== 'within') return void response.end(body)
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => request.socket.destroy())
  }

  const server = createServer((request, response) => {
    passOn(request, response).catch(() => request.socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    async close() {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
