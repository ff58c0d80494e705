/**
 * The other system on loopback: keeps a state of its own, and answers as badly as one does: drops answers after it has done
 * what was asked, asks for patience, lets tokens end.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../../src/domain/json.ts'

export interface Asked {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: Json
  readonly text?: string
  /** What was asked is done, and the answer never comes. */
  readonly isDropped?: boolean
}

export interface Partner {
  /** Without a slash at the end. */
  readonly url: string
  readonly asked: Asked[]
  stop(): Promise<void>
}

/** How badly the other system answers. */
export interface BadAnswers {
  readonly random: () => number
  /** Of a hundred answers so many are lost. */
  readonly lostOf100: number
  readonly now: () => number
  /** Every so many requests are answered 429. */
  readonly patienceEvery: number
}

export async function partner(answer: (asked: Asked) => Reply | Promise<Reply>): Promise<Partner> {
  const asked: Asked[] = []
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    const reply = async () => {
      const { pathname, searchParams } = new URL(request.url!, 'http://partner')
      const one: Asked = {
        method: request.method!,
        path: pathname,
        query: searchParams,
        headers: request.headers,
        body: Buffer.concat(parts).toString(),
      }
      asked.push(one)
      const { status = 200, headers = {}, json, text, isDropped } = await answer(one)
      if (isDropped) return void request.socket.destroy()
      const body = text ?? (json === undefined ? '' : JSON.stringify(json))
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body)
    }
    request.on('end', () => void reply())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Settings of a service that may reach partners. */
export const LOOPBACK = { WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' }
