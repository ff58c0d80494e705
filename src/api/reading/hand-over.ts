/**
 * Hands a request over to another thread's HTTP server as it came, and the answer back. Each connection of a client has a
 * connection of its own to that server, which ends with it: so what is held for a client, and whether it has gone, is seen
 * there as if the client were connected to it.
 */
import { Agent, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, type Duplex } from 'node:stream'
import { answerLast } from '../http/last-answer.ts'
import { takenBy, type UnreadAnswers } from '../http/unread.ts'

/** A connection to the other thread that stands for a client's. */
export interface Through extends Duplex {
  /** The client has taken some of the answer. */
  moved(): void
}

export interface HandOverOptions {
  readonly connect: (client: Socket) => Through
  readonly unread: Pick<UnreadAnswers, 'watch'>
}

export type HandOver = (request: IncomingMessage, response: ServerResponse) => void

const LOOK_MS = 1_000
/** Each connection has its own of these; `Transfer-Encoding` of an answer as well. */
const OF_CONNECTIONS: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-connection'])

export function handsOver({ connect, unread }: HandOverOptions): HandOver {
  const agents = new WeakMap<Socket, Agent>()
  const throughs = new WeakMap<Socket, Through>()

  const agentOf = (client: Socket): Agent => {
    const known = agents.get(client)
    if (known) return known
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    agent.createConnection = () => {
      const through = connect(client)
      throughs.set(client, through)
      return through
    }
    client.once('close', () => agent.destroy())
    agents.set(client, agent)
    return agent
  }

  const asking = (request: IncomingMessage, response: ServerResponse) => {
    const { socket, method, url } = request
    const asked = ask({ agent: agentOf(socket), method, path: url, setHost: false })
    // As when the process had ended: the answer has not begun, or is cut off.
    asked.on('error', () => {
      if (!response.headersSent) socket.destroy()
    })
    for (const [name, values] of headersOf(request)) asked.setHeader(name, values)
    return asked
  }

  const handOver: HandOver = (request, response) => {
    const { socket } = request
    if (socket.destroyed) return
    const asked = asking(request, response)
    asked.once('response', (answer) => {
      takeOver(answer, response)
      pipeline(answer, response, (error) => {
        if (error) response.destroy()
      })
      sayMoved(socket, response, () => throughs.get(socket)?.moved())
      answer.on('data', () => {
        if (socket.writableLength > 0) unread.watch(socket)
      })
    })
    response.once('close', () => {
      if (response.writableFinished && asked.writableFinished) return
      asked.destroy()
      // What is left of a request that was answered before its end is thrown away; the next may come after it.
      request.unpipe(asked)
      request.resume()
    })
    if (hasBody(request)) {
      // The body may be long in coming, and the answer not wait for it.
      asked.flushHeaders()
      request.pipe(asked)
    } else {
      // Node would say that there is a body, of no bytes.
      asked.removeHeader('Transfer-Encoding')
      asked.removeHeader('Content-Length')
      asked.end()
    }
  }

  return (request, response) => {
    try {
      handOver(request, response)
    } catch {
      // Node's client refuses to send what its server takes: no such request is known.
      request.socket.destroy()
    }
  }
}

/** Until the client has all of the answer: calls `moved` now and then, while the client takes some of it. */
function sayMoved(client: Socket, response: ServerResponse, moved: () => void): void {
  let taken = takenBy(client)
  const look = setInterval(() => {
    const now = takenBy(client)
    if (now !== taken) moved()
    taken = now
  }, LOOK_MS).unref()
  response.once('close', () => clearInterval(look))
}

const hasBody = ({ headers }: IncomingMessage) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** By name, as they were sent: repeated ones are refused by those who read them. */
function headersOf({ rawHeaders, headers, httpVersion }: IncomingMessage): Map<string, string[]> {
  const all = new Map<string, string[]>()
  // It is handed over as HTTP/1.1, which needs one.
  if (headers.host === undefined && httpVersion === '1.0') all.set('host', [''])
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (OF_CONNECTIONS.has(name)) continue
    const values = all.get(name)
    if (values) values.push(rawHeaders[at + 1]!)
    else all.set(name, [rawHeaders[at + 1]!])
  }
  return all
}

/** Status and headers; whether the connection is kept is for this one to say, unless the other ends it. */
function takeOver(answer: IncomingMessage, response: ServerResponse): void {
  const headers: string[] = []
  for (let at = 0; at < answer.rawHeaders.length; at += 2) {
    const name = answer.rawHeaders[at]!.toLowerCase()
    if (OF_CONNECTIONS.has(name) || name === 'transfer-encoding') continue
    headers.push(answer.rawHeaders[at]!, answer.rawHeaders[at + 1]!)
  }
  if (answer.headers.connection?.toLowerCase() === 'close') answerLast(response.req, response)
  response.writeHead(answer.statusCode!, answer.statusMessage, headers)
}
