/**
 * Posting over HTTP(S) to addresses that were checked: a name is resolved here, and the connection is made to an address
 * that was found allowed, so that a name which resolves differently the next moment leads nowhere else.
 *
 * No redirect is followed, no proxy used, no cookie kept. Connections are kept open and used again; one that its server
 * closed at the same moment is replaced once.
 */
import { lookup as systemLookup } from 'node:dns'
import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { HttpSender, Post, PostOutcome } from '../../ports/http-sender.ts'

export interface HttpSenderOptions {
  /** Whether a connection may be made to this address; `secure`: by https. */
  readonly mayConnect: (address: string, secure: boolean) => boolean
  /** Resolves names; the system's way unless said otherwise. */
  readonly lookup?: typeof systemLookup | undefined
  /** Certificates to trust beside those of Node. */
  readonly ca?: string | undefined
}

/** To one host and port: as many as a company may have under way, so that none is closed to be made again. */
const MAX_IDLE_SOCKETS = 200
const IDLE_MS = 30_000
/** Of names that lead only to addresses that may not be reached. */
const NOT_ALLOWED = 'NOT_ALLOWED'
/** Errors before any byte is sent. */
const UNSENT: ReadonlySet<string> = new Set([NOT_ALLOWED, 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

export function httpSender({ mayConnect, lookup = systemLookup, ca }: HttpSenderOptions): HttpSender {
  const kept = { keepAlive: true, maxFreeSockets: MAX_IDLE_SOCKETS, scheduling: 'lifo' } as const
  const agents = {
    'http:': new HttpAgent({ ...kept, timeout: IDLE_MS }),
    'https:': new HttpsAgent({ ...kept, timeout: IDLE_MS, ...(ca !== undefined && { ca }) }),
  }
  const checked = { 'http:': checkedLookup(false), 'https:': checkedLookup(true) }
  const underWay = new Set<() => void>()
  let closed = false

  function checkedLookup(secure: boolean): LookupFunction {
    return (hostname, options, callback) =>
      lookup(hostname, { ...options, all: true }, (error, found) => {
        if (error) return callback(error, '', 0)
        const allowed = found.filter(({ address }) => mayConnect(address, secure))
        const [first] = allowed
        if (!first)
          return callback(
            Object.assign(new Error(`${hostname} leads to no address that deliveries may reach`), {
              code: NOT_ALLOWED,
            }),
            '',
            0,
          )
        if (options.all) callback(null, allowed)
        else callback(null, first.address, first.family)
      })
  }

  const once = ({
    url: text,
    method = 'POST',
    headers,
    body,
    timeoutMs,
    maxReplyBytes,
  }: Post): Promise<PostOutcome & { stale?: true }> =>
    new Promise((resolve) => {
      const url = new URL(text)
      const protocol = url.protocol === 'https:' ? 'https:' : 'http:'
      const host = url.hostname.replace(/^\[|\]$/g, '')
      // An address is connected to as it stands, without being looked up.
      if (isIP(host) !== 0 && !mayConnect(host, protocol === 'https:'))
        return resolve({ error: `${host} is not an address that deliveries may reach`, unsent: true })
      const bytes = Buffer.from(body)
      const settle = (outcome: PostOutcome & { stale?: true }) => {
        clearTimeout(timer)
        underWay.delete(abort)
        resolve(outcome)
      }
      const abort = () => {
        settle({ error: 'the service stopped meanwhile', aborted: true })
        request.destroy()
      }
      underWay.add(abort)
      const timer = setTimeout(() => {
        settle({ error: `no complete answer in ${timeoutMs / 1_000} s` })
        request.destroy()
      }, timeoutMs)
      const request: ClientRequest = (protocol === 'https:' ? httpsRequest : httpRequest)(url, {
        method,
        agent: agents[protocol],
        lookup: checked[protocol],
        headers: {
          ...headers,
          ...((bytes.length > 0 || method === 'POST') && { 'Content-Length': String(bytes.length) }),
        },
      })
      let isWhole = () => false
      request.on('response', (response) => {
        isWhole = () => response.complete
        readReply(response, maxReplyBytes, settle)
      })
      // 101, with or without a protocol to switch to: there is no other answer to wait for.
      const switches = (headers: IncomingMessage['headers']) => {
        settle({ status: 101, headers: headersOf(headers), body: '' })
        request.destroy()
      }
      request.on('upgrade', ({ headers }, socket) => {
        socket.destroy()
        switches(headers)
      })
      request.on('information', ({ statusCode, headers }) => {
        if (statusCode === 101) switches(headers)
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        // What came after a whole answer, such as the body of a 204, does not belong to it.
        if (isWhole()) return
        const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE')
        const unsent = error.code !== undefined && UNSENT.has(error.code)
        settle({
          error: wordsFor(error),
          ...(stale && { stale: true }),
          ...(unsent && { unsent: true }),
        })
      })
      request.end(bytes)
    })

  return {
    async post(post) {
      if (closed) return { error: 'the service has stopped', aborted: true }
      const began = performance.now()
      const { stale, ...outcome } = await once(post)
      if (!stale || closed || post.isSentOnce) return outcome
      // The connection had been closed before it was used: the receiver has seen nothing of this.
      const left = post.timeoutMs - (performance.now() - began)
      if (left <= 0) return outcome
      const { stale: _, ...second } = await once({ ...post, timeoutMs: left })
      return second
    },
    close() {
      closed = true
      for (const abort of underWay) abort()
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

/** Reads up to the bound; what is longer is cut off together with its connection. */
function readReply(response: IncomingMessage, most: number, settle: (outcome: PostOutcome) => void): void {
  const parts: Buffer[] = []
  let length = 0
  const done = () => {
    const headers = headersOf(response.headers)
    const body = Buffer.concat(parts).subarray(0, most).toString()
    settle({ status: response.statusCode ?? 0, headers, body })
  }
  response.on('data', (part: Buffer) => {
    parts.push(part)
    length += part.length
    if (length < most) return
    done()
    response.destroy()
  })
  response.on('end', done)
  response.on('error', (error) => settle({ error: wordsFor(error) }))
  response.on('aborted', () => settle({ error: 'the connection was cut while the answer was read' }))
}

function headersOf(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

function wordsFor(error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case 'ECONNREFUSED':
      return 'the connection was refused'
    case 'ECONNRESET':
      return 'the connection was reset'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the name could not be resolved'
    default:
      return (error.message || error.code || 'the connection failed').slice(0, 200)
  }
}
