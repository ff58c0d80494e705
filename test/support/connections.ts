/** Connections that stay open, each of which sends one request at a time: with `WORKERS` the kernel gives them to several threads. */
import { Agent, request as ask, type IncomingHttpHeaders } from 'node:http'
import type { Fields } from '../../src/domain/json.ts'
import { TOKEN, type HeaderValues } from './service.ts'

export interface PlainAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly json: Fields
}

export interface Connection {
  /** @param path from the root, or below `/api/v1/` */
  send(method: string, path: string, sent?: { body?: unknown; headers?: HeaderValues }): Promise<PlainAnswer>
  get(path: string, headers?: HeaderValues): Promise<PlainAnswer>
  close(): void
}

/** So many that all of them on one of two threads is as good as impossible. */
const MANY = 32

export function connections(url: string, count = MANY): readonly Connection[] {
  return Array.from({ length: count }, () => connection(url))
}

function connection(url: string): Connection {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send: Connection['send'] = (method, path, { body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const raw = typeof body === 'string' || body instanceof Uint8Array
      const text = raw || body === undefined ? body : JSON.stringify(body)
      const asked = ask(`${url}${path.startsWith('/') ? '' : '/api/v1/'}${path}`, {
        method,
        agent,
        headers: {
          ...(headers['Authorization'] === undefined &&
            headers['Cookie'] === undefined && { Authorization: `Bearer ${TOKEN}` }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')),
        },
      })
      asked.once('error', reject)
      asked.once('response', (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.once('error', reject)
        answer.once('end', () => {
          const text = Buffer.concat(chunks).toString()
          resolve({
            status: answer.statusCode!,
            headers: answer.headers,
            text,
            get json() {
              return JSON.parse(text) as Fields
            },
          })
        })
      })
      asked.end(text)
    })
  return {
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    close: () => agent.destroy(),
  }
}
