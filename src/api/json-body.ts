/**
 * JSON bodies, held to the limits before anything is made of them: size, depth, and numbers that would not come back as
 * they were sent.
 */
import { json, type Request, type RequestHandler } from 'express'
import { Invalid, invalid } from '../domain/errors.ts'
import { Refusal } from './problems.ts'

export const JSON_LIMIT = 1_048_576
export const BULK_LIMIT = 10 * 1_048_576
export const MAX_DEPTH = 32

const TYPES = ['application/json', 'application/merge-patch+json']

/** The text of a body is kept for fingerprints (idempotency) and for looking at its numbers. */
const texts = new WeakMap<object, Buffer>()

/** The bytes of the request's body; empty when it had none. */
export function bodyBytes(request: Request): Buffer {
  return texts.get(request) ?? Buffer.alloc(0)
}

/** Parses the body into `request.body`; anything but JSON is refused. */
export function jsonBody(limit: number): RequestHandler[] {
  const parse = json({
    limit,
    strict: false,
    type: TYPES,
    verify: (request, _response, bytes) => void texts.set(request, bytes),
  })
  const refuseOthers: RequestHandler = (request, _response, next) => {
    if (request.body === undefined && Number(request.headers['content-length'] ?? 1) > 0 && hasBody(request))
      throw new Refusal({ status: 415, code: 'VALIDATION_ERROR', message: `the body must be ${TYPES[0]}` })
    if (request.body !== undefined) checkJson(request.body, bodyBytes(request))
    next()
  }
  return [parse, refuseOthers]
}

function hasBody(request: Request): boolean {
  return request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined
}

/** @throws Invalid when it is deeper than is taken, or holds a number that a double cannot keep */
function checkJson(value: unknown, bytes: Buffer): void {
  if (depthOf(value) > MAX_DEPTH)
    throw new Invalid(`the body is nested deeper than ${MAX_DEPTH} levels`, [
      { Field: '', Message: `is nested deeper than ${MAX_DEPTH} levels` },
    ])
  const text = bytes.toString('latin1')
  if (LONG_NUMBER.test(text)) checkNumbers(bytes.toString('utf8'))
}

/** Level by level, as a recursion could run out of stack. Stops one past the limit. */
function depthOf(value: unknown): number {
  let level: unknown[] = [value]
  for (let depth = 0; ; depth++) {
    const next: unknown[] = []
    for (const one of level)
      if (typeof one === 'object' && one !== null) for (const member of Object.values(one)) next.push(member)
    if (!level.some((one) => typeof one === 'object' && one !== null)) return depth
    if (depth > MAX_DEPTH) return depth
    level = next
  }
}

/** Something that may be a number of 16 digits or more, or with an exponent. */
const LONG_NUMBER = /[:[,\s]-?(?:[\d.]{16}|[\d.]{1,16}[eE])/

function checkNumbers(text: string): void {
  JSON.parse(text, (name: string, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === 'number' && context?.source !== undefined && !isFaithful(context.source, value))
      throw invalid(name, 'has more digits than are kept exactly')
    return value
  })
}

/** Whether the number is the one that was written, digit by digit. */
function isFaithful(source: string, value: number): boolean {
  return Number.isFinite(value) && digitsOf(source) === digitsOf(String(value))
}

/** A decimal as its significant digits and the place of the point: `12.50` and `1.25e1` are the same. */
function digitsOf(decimal: string): string {
  const [mantissa = '', exponent = '0'] = decimal
    .replace('-', '')
    .toLowerCase()
    .replace('e-', 'e~')
    .split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  const shift = Number(exponent.replace('~', '-')) - fraction.length + (digits.length - significant.length)
  return significant === '' ? '0' : `${significant}e${shift}`
}
