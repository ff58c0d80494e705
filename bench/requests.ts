/** Requests as they go over the wire. */

/** The token of every service that the benchmark starts. They listen on loopback and end with the run. */
export const TOKEN = 'token-of-a-benchmark-run'

const HEAD = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TOKEN}\r\n`

export function get(path: string, parameters: Readonly<Record<string, string | number>> = {}): string {
  const query = Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
  return `GET ${path}${query && `?${query}`} ${HEAD}\r\n`
}

export function send(method: 'POST' | 'PATCH', path: string, body: unknown): string {
  const json = JSON.stringify(body)
  return `${method} ${path} ${HEAD}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}
