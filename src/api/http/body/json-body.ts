/**
 * JSON bodies, checked before they are parsed: size, encoding, depth, how many values they hold, and numbers that would
 * not come back as they were sent.
 */
import { MIMEType } from 'node:util'
import { json, raw, type Request, type RequestHandler } from 'express'
import { TooLarge } from '../../../domain/errors.ts'
import { countBody, ownerOf } from './body-budget.ts'
import { awaitTurn } from './body-turns.ts'
import { parseRows, type RowsOf } from './json-rows.ts'
import { checkJsonText } from './json-text.ts'
import { answerLast } from '../last-answer.ts'
import { Refusal } from '../problems.ts'

export const JSON_LIMIT = 1_048_576
export const BULK_LIMIT = 10 * 1_048_576

const TYPES = ['application/json', 'application/merge-patch+json']

/** The bytes of a body are kept for fingerprints (idempotency). */
const bodies = new WeakMap<object, Buffer>()

/** The bytes of the request's body; empty when it had none. */
export function bodyBytes(request: Request): Buffer {
  return bodies.get(request) ?? Buffer.alloc(0)
}

/** What stands for a body that was not held in memory: the request is the same when this is. */
export function rememberBytes(request: Request, bytes: Buffer): void {
  bodies.set(request, bytes)
}

/** Lets go of the bytes, when no fingerprint will be asked for any more: large ones count. */
export function forgetBytes(request: Request): void {
  bodies.delete(request)
}

/** Parses the body into `request.body`; undefined when there is none. Anything but JSON in UTF-8 is refused. */
export function jsonBody(limit: number): RequestHandler[] {
  const parse = json({
    limit,
    strict: false,
    type: TYPES,
    verify(request, _response, bytes) {
      checkJsonText(bytes)
      bodies.set(request, bytes)
    },
  })
  return [bounded(limit), unlessRefused(parse), refuseOthers]
}

/** As `jsonBody`, for a body of many rows: it is parsed in pieces, which never block the event loop for long. */
export function jsonRowsBody(limit: number, rows: RowsOf): RequestHandler[] {
  const parseInPieces: RequestHandler = async (request, response, next) => {
    const bytes: unknown = request.body
    if (Buffer.isBuffer(bytes) && bytes.length > 0) {
      bodies.set(request, bytes)
      await awaitTurn(request, response, ownerOf(response), bytes.length)
      request.body = await parseRows(bytes, rows)
    }
    next()
  }
  return [bounded(limit), unlessRefused(raw({ limit, type: TYPES })), parseInPieces, refuseOthers]
}

/** Keeps the bytes of the body as they came, whatever they are: `bodyBytes` has them. Nothing is unpacked. */
export function rawBody(limit: number): RequestHandler[] {
  const keep: RequestHandler = (request, _response, next) => {
    const bytes: unknown = request.body
    if (Buffer.isBuffer(bytes)) bodies.set(request, bytes)
    request.body = undefined
    next()
  }
  return [bounded(limit), unlessRefused(raw({ limit, type: () => true, inflate: false })), keep]
}

/** A body that was refused while it arrived is still read to its end; what the parser then reports is ignored. */
function unlessRefused(parse: RequestHandler): RequestHandler {
  return (request, response, next) =>
    parse(request, response, (error: unknown) => {
      if (!response.headersSent) next(error)
    })
}

const refuseOthers: RequestHandler = (request, _response, next) => {
  if (request.body === undefined && hasBody(request)) throw unsupported(`the body must be ${TYPES[0]}`)
  // The parsers turn an empty body into an empty object, or into no bytes.
  if (bodyBytes(request).length === 0) request.body = undefined
  next()
}

/** Answers as soon as a body is known to be too large; the parser would first read all of it. */
function bounded(limit: number): RequestHandler {
  return (request, response, next) => {
    takeUtf8(request)
    const refuse = () => {
      answerLast(request, response)
      return new TooLarge(`the body is larger than ${limit} bytes`, [
        { Field: '', Message: `is larger than ${limit} bytes` },
      ])
    }
    if (Number(request.headers['content-length'] ?? 0) > limit) throw refuse()
    if (!hasBody(request)) return next()
    try {
      countBody(request, response, limit, (error) => {
        answerLast(request, response)
        if (!response.headersSent) next(error)
      })
    } catch (error) {
      answerLast(request, response)
      throw error
    }
    if (request.headers['transfer-encoding'] === undefined) return next()
    let received = 0
    const count = (chunk: Buffer) => {
      received += chunk.length
      if (received <= limit || response.headersSent) return
      request.off('data', count)
      next(refuse())
    }
    request.on('data', count)
    next()
  }
}

/** The names that clients give UTF-8: that of IANA, its alias, and what everybody writes. */
const UTF8 = /^(utf-8|utf8|csutf8)$/i

/** Refuses any other encoding. Leaves the type alone where UTF-8 is named, since the parsers know one of its names only. */
function takeUtf8({ headers }: Request): void {
  const sent = headers['content-type'] ?? ''
  if (!/charset/i.test(sent)) return
  let type: MIMEType
  try {
    type = new MIMEType(sent)
  } catch {
    throw unsupported(`the body must be ${TYPES[0]}`)
  }
  const charset = type.params.get('charset')
  if (charset === null) return
  if (!UTF8.test(charset)) throw unsupported(`the body must be in UTF-8, but Content-Type says ${charset}`)
  headers['content-type'] = type.essence
}

function hasBody({ headers }: Request): boolean {
  return Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
}

function unsupported(message: string): Refusal {
  return new Refusal({ status: 415, code: 'VALIDATION_ERROR', message })
}
