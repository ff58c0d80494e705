/**
 * A proxy between a client and the service that cuts connections: before a request reaches the service, in the midst of
 * the answer, or when all was done and nothing of the answer was passed on. Which request it is for is counted, not drawn.
 */
import { once } from 'node:events'
import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Cut = 'before' | 'within' | 'after'

export interface CuttingProxy {
  readonly url: string
  /** How many connections were cut, and when. */
  readonly cuts: Readonly<Record<Cut, number>>
  close(): Promise<void>
}

/** Of so many requests in a row, these are cut. */
const ROUND = 13
const CUT_AT: ReadonlyMap<number, Cut> = new Map([
  [3, 'before'],
  [7, 'within'],
  [11, 'after'],
])

/** @param upstream where the service is, without a slash at the end */
export async function cuttingProxy(upstream: string): Promise<CuttingProxy> {
  const cuts: Record<Cut, number> = { before: 0, within: 0, after: 0 }
  const agent = new Agent({ keepAlive: true })
  const { hostname, port } = new URL(upstream)
  let count = 0

  const passOn = async (request: IncomingMessage, response: ServerResponse) => {
    const cut = CUT_AT.get(count++ % ROUND)
    if (cut) cuts[cut]++
    if (cut === 'before') return void request.socket.destroy()
    const { method, url: path, headers } = request
    const passed = send({ hostname, port, method, path, headers, agent })
    request.pipe(passed)
    const [answer] = (await once(passed, 'response')) as [IncomingMessage]
    const chunks: Buffer[] = []
    for await (const chunk of answer) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    if (cut === 'after') return void request.socket.destroy()
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    if (cut !== 'within') return void response.end(body)
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => request.socket.destroy())
  }

  const server = createServer((request, response) => {
    passOn(request, response).catch(() => request.socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cuts,
    async close() {
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
