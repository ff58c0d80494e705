/**
 * How many bytes of request bodies may be under way at once, from the first byte to the answer: a client that sends
 * large bodies slowly, on any number of connections, takes no more memory than its share.
 */
import type { Request, Response } from 'express'
import { Busy } from '../../../domain/errors.ts'
import { Refusal } from '../problems.ts'

export interface BodyBudget {
  /** Counts bytes of `owner`. @throws Refusal (429) past the owner's share, Busy past what there is for all */
  take(owner: string, bytes: number): void
  giveBack(owner: string, bytes: number): void
}

const MEGABYTE = 1_048_576
const LIMITS = { owner: 48 * MEGABYTE, all: 144 * MEGABYTE }
/** Bodies up to this size are not counted: those that a principal may send in a minute come to less than its share. */
const SMALL = 65_536

export function bodyBudget(limits: { readonly owner: number; readonly all: number } = LIMITS): BodyBudget {
  const taken = new Map<string, number>()
  let all = 0
  return {
    take(owner, bytes) {
      const own = (taken.get(owner) ?? 0) + bytes
      if (own > limits.owner)
        throw new Refusal({
          status: 429,
          code: 'RATE_LIMITED',
          message: `Your requests under way hold more than ${limits.owner} bytes; try again when they are done.`,
          headers: { 'Retry-After': '1' },
        })
      if (all + bytes > limits.all) throw new Busy('too many large bodies are under way')
      taken.set(owner, own)
      all += bytes
    },
    giveBack(owner, bytes) {
      const left = (taken.get(owner) ?? 0) - bytes
      if (left > 0) taken.set(owner, left)
      else taken.delete(owner)
      all -= bytes
    },
  }
}

declare module 'express-serve-static-core' {
  interface Locals {
    bodyBudget?: BodyBudget
  }
}

/** Compressed text seldom grows more than this. */
const GROWTH = 100

/** Whose share the body of a request counts against: the principal's, or that of all who are not known. */
export function ownerOf(response: Response): string {
  return response.locals.principal?.actor ?? ''
}

/**
 * Counts the body of a request against the budget until its answer is sent: by its length where that is given, else as
 * it arrives. `limit` is what the route accepts at most. `refuse` is called when it turns out to be too much.
 */
export function countBody(
  request: Request,
  response: Response,
  limit: number,
  refuse: (error: unknown) => void,
): void {
  const length = request.headers['content-length']
  const growth = request.headers['content-encoding'] === undefined ? 1 : GROWTH
  if (length !== undefined && Number(length) * growth <= SMALL) return
  const budget = (request.app.locals.bodyBudget ??= bodyBudget())
  const owner = ownerOf(response)
  let counted = 0
  const count = (bytes: number) => {
    budget.take(owner, bytes)
    counted += bytes
  }
  let pending = 0
  const onData = (chunk: Buffer) => {
    pending += chunk.length * growth
    if (pending <= SMALL || counted >= limit) return
    const bytes = Math.min(pending, limit)
    pending = 0
    try {
      count(bytes)
    } catch (error) {
      request.off('data', onData)
      refuse(error)
    }
  }
  if (length !== undefined) count(Math.min(limit, Number(length) * growth))
  else request.on('data', onData)
  response.once('close', () => {
    request.off('data', onData)
    budget.giveBack(owner, counted)
  })
}
