/** Requests as they go over the wire. */
import { randomUUID } from 'node:crypto'

/**
 * The token of every service that the benchmark starts; another one in each run, for engines may outlive a run. A store that
 * is used again keeps the one that it was filled with.
 */
export const access = { token: `benchmark-${randomUUID()}` }

const head = () => `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${access.token}\r\n`

export function get(path: string, parameters: Readonly<Record<string, string | number>> = {}): string {
  const query = Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
  return `GET ${path}${query && `?${query}`} ${head()}\r\n`
}

export function send(method: 'POST' | 'PATCH', path: string, body: unknown): string {
  const json = JSON.stringify(body)
  return `${method} ${path} ${head()}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}
