/** A client that knows the difference between an answer and none: an answer counts only when it was read to its end. */
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'

export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface HttpClient {
  /** The answer; undefined when the connection ended, or 15 s passed, before all of it was there. */
  send(request: HttpRequest): Promise<HttpAnswer | undefined>
  /** Sends the whole request and breaks the connection `afterMs` later, whatever has come by then. */
  sendAndHangUp(request: HttpRequest, afterMs: number): Promise<void>
  close(): void
}

const LONGEST_ANSWER_MS = 15_000

export function httpClient({ url, token }: { readonly url: string; readonly token: string }): HttpClient {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

  const open = ({ method, path, headers, body }: HttpRequest, shared: boolean) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    const outgoing = httpRequest(new URL(path, url), {
      method,
      agent: shared ? agent : false,
      headers: {
        Authorization: `Bearer ${token}`,
        ...(text !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(text),
        }),
        ...headers,
      },
    })
    return { outgoing, text }
  }

  return {
    send: (request) =>
      new Promise((resolve) => {
        const { outgoing, text } = open(request, true)
        outgoing.setTimeout(LONGEST_ANSWER_MS, () => outgoing.destroy())
        outgoing.on('error', () => resolve(undefined))
        outgoing.on('response', (incoming) => {
          const chunks: Buffer[] = []
          incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
          incoming.on('error', () => resolve(undefined))
          incoming.on('close', () => {
            if (!incoming.complete) return resolve(undefined)
            const { statusCode: status = 0, headers } = incoming
            resolve({ status, headers, text: Buffer.concat(chunks).toString('utf8') })
          })
        })
        outgoing.end(text)
      }),
    sendAndHangUp: (request, afterMs) =>
      new Promise((resolve) => {
        const { outgoing, text } = open(request, false)
        outgoing.on('error', () => {}) // breaking it off is the point
        outgoing.on('response', (incoming) => incoming.resume())
        outgoing.on('close', resolve)
        outgoing.end(text, () => setTimeout(() => outgoing.destroy(), afterMs))
      }),
    close: () => agent.destroy(),
  }
}
