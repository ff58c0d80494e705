/** Lets nobody subscribe to what they may not read: a webhook sends whole records, of every row (open fact 26). */
import type { RequestHandler } from 'express'
import type { Definitions } from '../domain/definition.ts'
import { eventNames, objectsOf } from '../webhooks/event-names.ts'
import { granted } from './policy.ts'
import { Refusal } from './problems.ts'

/** Passes requests whose `Events` name only objects that the caller may read without restriction. */
export function maySee(definitions: Definitions): RequestHandler {
  return (request, response, next) => {
    const events = (request.body as { readonly Events?: unknown } | undefined)?.Events
    const patterns = Array.isArray(events) ? events.filter((one) => typeof one === 'string') : []
    const names = eventNames(definitions)
    const objects = new Set(patterns.flatMap((pattern) => [...(objectsOf(pattern, names) ?? [])]))
    for (const object of objects) {
      if (!granted(response, object, 'read').shares) continue
      const message = `you may read ${object} only in part, and a webhook sends all of it`
      throw new Refusal({ status: 403, code: 'FORBIDDEN', message })
    }
    next()
  }
}
