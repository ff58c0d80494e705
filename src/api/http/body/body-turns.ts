/**
 * Large bodies are parsed and carried out a few at a time. Until its turn comes, a request holds only the bytes that the
 * body budget counts; parsed, and with the events that it leads to, it takes many times as much.
 *
 * No request is refused here: the body budget bounds how many wait.
 */
import type { Request, Response } from 'express'

export interface BodyTurns {
  /**
   * Resolves when it is the turn of `owner`, with the function that ends the turn. When one is free it goes to the owner
   * with the fewest turns, then to the first who came.
   */
  take(owner: string): Promise<() => void>
}

interface Waiting {
  readonly owner: string
  readonly begin: (end: () => void) => void
}

export function bodyTurns(atOnce: number): BodyTurns {
  const running: string[] = []
  const line: Waiting[] = []
  const turnsOf = (owner: string) => running.filter((one) => one === owner).length

  const next = () => {
    while (running.length < atOnce && line.length > 0) {
      const [first] = [...line].sort((a, b) => turnsOf(a.owner) - turnsOf(b.owner))
      const { owner, begin } = first!
      line.splice(line.indexOf(first!), 1)
      running.push(owner)
      begin(() => {
        running.splice(running.indexOf(owner), 1)
        next()
      })
    }
  }

  return {
    take: (owner) =>
      new Promise((begin) => {
        line.push({ owner, begin })
        next()
      }),
  }
}

/** Bodies of up to this size do not wait. */
const SMALL = 1_048_576
const AT_ONCE = 2
declare module 'express-serve-static-core' {
  interface Locals {
    bodyTurns?: BodyTurns
  }
}

const ends = new WeakMap<Request, () => void>()

/** Waits for the turn of a request, which lasts until `endTurn` or the end of its answer. */
export async function awaitTurn(request: Request, response: Response, owner: string, bytes: number) {
  if (bytes <= SMALL) return
  const turns = (request.app.locals.bodyTurns ??= bodyTurns(AT_ONCE))
  const end = await turns.take(owner)
  ends.set(request, end)
  response.once('close', () => endTurn(request))
  if (response.closed) endTurn(request)
}

/** The work is done: how long the client takes to read the answer is its own affair. */
export function endTurn(request: Request): void {
  ends.get(request)?.()
  ends.delete(request)
}
