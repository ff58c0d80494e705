/** How the next page of an answer is asked for. Pure. */
import type { Json } from '../../domain/json.ts'
import type { FilledRequest } from '../calls/call.ts'
import type { Polled } from '../definition/poll-schema.ts'
import { evaluate } from '../mapping/evaluate.ts'
import { valueAt } from '../mapping/path.ts'

export interface Page {
  /** That brought it. */
  readonly request: FilledRequest
  readonly json: Json
  readonly items: readonly Json[]
  /** From 1. */
  readonly page: number
}

export interface Next {
  /** Undefined: that was the last. */
  readonly request: FilledRequest | undefined
  /** Where the next poll begins, as the last page says. */
  readonly resume?: string | undefined
}

const LAST: Next = { request: undefined }

export function nextPage(paging: Polled['page'], { request, json, items, page }: Page): Next {
  if (!paging) return LAST
  if ('next' in paging) {
    const next = textAt(paging.next, json)
    if (next !== undefined) return { request: { ...request, path: next } }
    return {
      request: undefined,
      resume: paging.resume === undefined ? undefined : textAt(paging.resume, json),
    }
  }
  const withParameter = (name: string, value: string): Next => ({
    request: { ...request, path: setParameter(request.path, name, value) },
  })
  if ('cursor' in paging) {
    const cursor = textAt(paging.cursor, json)
    return cursor === undefined ? LAST : withParameter(paging.parameter, cursor)
  }
  if (items.length === 0) return LAST
  if ('number' in paging) return withParameter(paging.number, String(page + paging.first))
  if ('offset' in paging) {
    const past =
      Number(new URLSearchParams(request.path.split('?')[1]).get(paging.offset) ?? 0) + items.length
    return withParameter(paging.offset, String(past))
  }
  if (valueAt(paging.more, json) !== true) return LAST
  const last = items.at(-1)!
  const after = evaluate(paging.after, { item: last, root: json })
  return typeof after === 'string' || typeof after === 'number'
    ? withParameter(paging.parameter, String(after))
    : LAST
}

function textAt(path: string, json: Json): string | undefined {
  const value = valueAt(path, json)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function setParameter(path: string, name: string, value: string): string {
  const [before = '', query = ''] = path.split('?')
  const parameters = new URLSearchParams(query)
  parameters.set(name, value)
  return `${before}?${parameters.toString()}`
}
