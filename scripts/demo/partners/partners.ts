/**
 * The other systems of the demo's year, in its own process: each answers as its vendor does, as far as the shipped file asks. An
 * integration goes to the address of its part, `http://127.0.0.1:…/xero`.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { accounting } from './accounting.ts'
import { paymentProviders } from './payment-providers.ts'
import { peopleAndFiles } from './people-and-files.ts'

export interface Asked {
  readonly method: string
  /** After the part, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string
}

export type Reply = { readonly status?: number; readonly json?: unknown; readonly xml?: string } | undefined

/** By the name of its part: what it answers. Undefined: 404. */
export type Parts = Readonly<Record<string, (asked: Asked) => Reply>>

export interface Partners {
  readonly url: string
  /** The tenants pay what they owe, as the books of both vendors note. */
  pay(): void
  close(): void
}

export async function partners(now: () => number): Promise<Partners> {
  const { parts, pay } = accounting(now)
  const all: Parts = { ...parts, ...peopleAndFiles(now), ...paymentProviders(now) }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url!, 'http://partners')
      const [, part = '', path = '/'] = /^\/([^/]+)(\/.*)?$/.exec(pathname) ?? []
      const asked = {
        method: request.method!,
        path,
        query: searchParams,
        body: Buffer.concat(pieces).toString(),
      }
      const { status = 200, json, xml } = all[part]?.(asked) ?? { status: 404, json: {} }
      const type = xml === undefined ? 'application/json' : 'application/xml; charset=utf-8'
      response.writeHead(status, { 'Content-Type': type }).end(xml ?? JSON.stringify(json ?? {}))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pay,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
