/**
 * Every answer leaves through here: one place for the headers that all of them carry, written in one go.
 */
import { gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'
import { unreadOf } from './unread.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'
/** One JSON value a line (https://jsonlines.org). */
export const JSON_LINES_TYPE = 'application/jsonl; charset=utf-8'
export const CSV_TYPE = 'text/csv; charset=utf-8; header=present'

export type Headers = Readonly<Record<string, string>>

declare module 'express-serve-static-core' {
  interface Locals {
    /** From the first sight of the request. */
    arrival?: Arrival
  }
}

/** What is known about the request whatever becomes of it. */
export interface Arrival {
  readonly id: string
  /** `performance.now()` at the first sight of the request. */
  readonly at: number
  /** The same moment by the clock, in ms since 1970. */
  readonly now: number
  /** What every answer carries (`common-headers.ts`), names and values in turn. */
  readonly common: readonly string[]
  /** What this one carries beside them, whatever it will be: see `alsoSend`. */
  readonly more: string[]
}

export function setArrival(response: Response, arrival: Arrival): void {
  response.locals.arrival = arrival
}

export function arrivalOf(response: Response): Arrival {
  return response.locals.arrival!
}

/** Adds a header to the answer that is still to come, be it an error. */
export function alsoSend(response: Response, name: string, value: string): void {
  arrivalOf(response).more.push(name, value)
}

/** The same in place of what was to be sent by that name. */
export function sendInstead(response: Response, name: string, value: string): void {
  const { more } = arrivalOf(response)
  const at = more.findIndex((one, index) => index % 2 === 0 && one === name)
  if (at < 0) more.push(name, value)
  else more[at + 1] = value
}

/** All headers of an answer, names and values in turn: for those who write theirs piece by piece. */
export function headersOf(response: Response, headers: Headers): string[] {
  const { id, common, more } = arrivalOf(response)
  const all = ['X-Request-Id', id, ...common, ...more]
  for (const name in headers) all.push(name, headers[name]!)
  return all
}

/** Sets the headers of an answer that is perhaps not sent from here. */
export function prepare(response: Response): void {
  const all = headersOf(response, {})
  for (let at = 0; at < all.length; at += 2) response.setHeader(all[at]!, all[at + 1]!)
}

/** Text that is sent to many, packed once. */
export interface PackedText {
  readonly text: string
  readonly packed: Buffer
}

export const packedText = (text: string): PackedText => ({ text, packed: gzipSync(text) })

/** Sends it packed to those who can unpack it. */
export function sendPacked(
  request: Request,
  response: Response,
  { text, packed }: PackedText,
  type: string,
  own: Headers = {},
): void {
  const headers = { ...own, Vary: 'Accept-Encoding' }
  if (request.acceptsEncodings('gzip') !== 'gzip') return send(response, 200, headers, type, text)
  const all = headersOf(response, { ...headers, 'Content-Encoding': 'gzip' })
  all.push('Content-Type', type, 'Content-Length', String(packed.length))
  response.writeHead(200, all)
  if (request.method === 'HEAD') response.end()
  else response.end(packed)
}

/** Sends text of the given type, or no body at all. */
export function send(response: Response, status: number, headers: Headers, type?: string, text = ''): void {
  const all = headersOf(response, headers)
  if (type === undefined) {
    response.writeHead(status, all).end()
    return
  }
  const length = Buffer.byteLength(text)
  all.push('Content-Type', type, 'Content-Length', String(length))
  response.writeHead(status, all)
  if (response.req.method === 'HEAD') response.end()
  // Where each character is one byte, copying is cheaper than encoding.
  else response.end(text, length === text.length ? 'latin1' : 'utf8')
  if (response.socket && response.socket.writableLength > 0) watchUnread(response)
}

/** What has not been taken yet is held for as long as some of it is taken now and then. */
function watchUnread(response: Response): void {
  if (response.socket) unreadOf(response).watch(response.socket)
}

/**
 * Sends text or bytes as they come, no faster than the client takes them, and stops asking for more when the client has
 * gone. An error on the way ends the connection, so that a part is never taken for the whole.
 */
export async function streamChunks(
  response: Response,
  headers: Headers,
  type: string,
  chunks: AsyncIterable<string | Uint8Array>,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]()
  // What is wrong from the beginning is still answered in the Error wrapper.
  let next = await iterator.next()
  try {
    response.writeHead(200, [...headersOf(response, headers), 'Content-Type', type])
    if (response.req.method !== 'HEAD')
      for (; !next.done && !response.destroyed; next = await iterator.next())
        if (!response.write(next.value)) await drained(response)
  } finally {
    if (!next.done) await iterator.return?.()
  }
  response.end()
  watchUnread(response)
}

function drained(response: Response): Promise<void> {
  return new Promise((resolve) => {
    // Whatever the connection has by now: the last piece is still on its way to it.
    watchUnread(response)
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
    if (response.destroyed) done()
  })
}

/** Sends text that is JSON already. */
export function sendJson(response: Response, status: number, json: string, headers: Headers = {}): void {
  send(response, status, headers, JSON_TYPE, json)
}

/** The Success wrapper (docs/interface.md#wrappers) around JSON text. */
export function success(data: string): string {
  return `{"Success":true,"Data":${data}}`
}
