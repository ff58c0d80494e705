/** What a message means: the changes that its rules make of it, before anything is looked up. Pure. */
import { createHash } from 'node:crypto'
import type { Json } from '../../domain/json.ts'
import type { Expression } from '../definition/expression-schema.ts'
import type { Received, Rule, When } from '../definition/receive-schema.ts'
import { evaluate, isSought, type Made, type Source } from './evaluate.ts'
import { itemsAt } from './items.ts'
import { expressionsOf } from './parts.ts'
import { valueAt } from './path.ts'
import { shown, Unmappable } from './unmappable.ts'

/** One message of what arrived: a payload may bring several. */
export interface Message {
  /** What the sender knows it by; of the same message always the same. */
  readonly id: string
  /** When it happened there: `YYYY-MM-DDThh:mm:ssZ`, undefined where it does not say. */
  readonly at: string | undefined
  readonly source: Source
}

/** A change that a message means. Of `by` and `link` one at least is given. */
export interface Change {
  readonly rule: Rule
  readonly by: { readonly field: string; readonly value: string } | undefined
  readonly link: string | undefined
  /** Fields that the payload says something of; null clears. */
  readonly set: { readonly [field: string]: Exclude<Made, undefined> }
}

/**
 * The messages of a payload, in its order.
 * @throws Unmappable for a message without the Id that the file says it has
 */
export function messagesOf(received: Received, payload: Json, body: Uint8Array): readonly Message[] {
  const { each } = received
  const items = each === undefined ? [payload] : itemsAt(payload, each)
  return items.map((item, index) => {
    const source = { item, root: payload }
    const at = received.at === undefined ? undefined : evaluate(received.at, source)
    if (at !== undefined && at !== null && typeof at !== 'string')
      throw new Unmappable(`the time of the message is ${shown(at as Json)}`)
    return { id: idOf(received, source, body, index), at: at ?? undefined, source }
  })
}

/** The changes that the message means, in the order of the rules. @throws Unmappable */
export function changesOf(received: Received, { source }: Message): readonly Change[] {
  return received.map.filter((rule) => holds(rule.when ?? {}, source)).map((rule) => changeOf(rule, source))
}

/** What a message is known by that has no Id of its own. */
export const idOfBody = (body: Uint8Array): string =>
  `sha256-${createHash('sha256').update(body).digest('hex')}`

function idOf(received: Received, source: Source, body: Uint8Array, index: number): string {
  if (received.id === undefined) return `${idOfBody(body)}-${index}`
  return identifier(received.id, source, 'the Id of the message')
}

function holds(when: When, { item, root }: Source): boolean {
  return Object.entries(when).every(([path, wanted]) => {
    const value = valueAt(path, item, root) ?? null
    return Array.isArray(wanted) ? wanted.some((one) => one === value) : wanted === value
  })
}

function changeOf(rule: Rule, source: Source): Change {
  const [field, expression] = Object.entries(rule.by ?? {})[0] ?? []
  const by =
    field === undefined ? undefined : { field, value: identifier(expression!, source, `the ${field}`) }
  const link = rule.link === undefined ? undefined : identifier(rule.link, source, 'the Id of the record')
  const set: Record<string, Exclude<Made, undefined>> = {}
  for (const [name, made] of Object.entries(rule.set)) {
    const value = evaluate(made, source)
    if (value !== undefined) set[name] = value
  }
  return { rule, by, link, set }
}

function identifier(expression: Expression, source: Source, what: string): string {
  const made = evaluate(expression, source)
  const paths = expressionsOf(expression).filter((one) => typeof one === 'string')
  if ((made === undefined || made === null) && paths.length > 0)
    throw new Unmappable(`${what} is missing: there is nothing at ${paths.join(' or ')}`)
  const text = typeof made === 'number' && Number.isSafeInteger(made) ? String(made) : made
  if (isSought(text) || typeof text !== 'string' || text.trim() === '' || text.length > 200)
    throw new Unmappable(
      `${what} is ${isSought(text) ? 'a lookup' : shown(text)}, not a text of at most 200 characters`,
    )
  return text
}
