/**
 * Every answer leaves through here: one place for the headers that all of them carry, written in one go.
 */
import type { Response } from 'express'

export const JSON_TYPE = 'application/json; charset=utf-8'

export type Headers = Readonly<Record<string, string>>

/** What is known about the request whatever becomes of it. */
export interface Arrival {
  readonly id: string
  /** `performance.now()` at the first sight of the request. */
  readonly at: number
}

export function setArrival(response: Response, arrival: Arrival): void {
  response.locals['arrival'] = arrival
}

export function arrivalOf(response: Response): Arrival {
  return response.locals['arrival'] as Arrival
}

/** Sends text of the given type, or no body at all. */
export function send(response: Response, status: number, headers: Headers, type?: string, text = ''): void {
  const all = [
    'X-Request-Id',
    arrivalOf(response).id,
    'X-Content-Type-Options',
    'nosniff',
    'Cache-Control',
    'no-store',
  ]
  for (const name in headers) all.push(name, headers[name]!)
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
}

/** Sends text that is JSON already. */
export function sendJson(response: Response, status: number, json: string, headers: Headers = {}): void {
  send(response, status, headers, JSON_TYPE, json)
}

/** The Success wrapper (specification 2.2) around JSON text. */
export function success(data: string): string {
  return `{"Success":true,"Data":${data}}`
}
