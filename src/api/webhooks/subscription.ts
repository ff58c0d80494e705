/**
 * What a client sends to create or change a webhook, checked: every fault found is named.
 */
import { Invalid, type Fault } from '../../domain/errors.ts'
import type { Definitions } from '../../domain/definition.ts'
import { meantName } from '../../domain/filter/closest-name.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import { checkUrl, type AddressRules } from '../../webhooks/addresses.ts'
import { eventNames, objectsOf, type EventName } from '../../webhooks/event-names.ts'

export interface SubscriptionOptions {
  /** Of the objects whose events are sent. */
  readonly definitions: Definitions
  readonly rules: AddressRules
  /** The addresses of a host; empty when they cannot be found out now. */
  readonly resolve: (host: string) => Promise<readonly string[]>
}

export interface Subscription {
  /** What was sent, without the secret. */
  readonly fields: Fields
  readonly secret: string | undefined
  /** Objects whose records will be sent. */
  readonly objects: ReadonlySet<string>
}

export const MAX_EVENTS = 100
const MAX_SECRET = 256
/** A secret shorter than this can be guessed, in characters. */
export const SHORT_SECRET = 24
const TAKES = ['Url', 'Events', 'Secret', 'Description', 'Filter', 'Ordered', 'IsActive']

/**
 * @param current the webhook as it is; undefined for a new one
 * @throws Invalid naming every fault
 */
export async function readSubscription(
  body: unknown,
  current: Fields | undefined,
  { definitions, rules, resolve }: SubscriptionOptions,
): Promise<Subscription> {
  if (!isObject(body))
    throw new Invalid('The body must be a JSON object.', [{ Field: '', Message: 'must be a JSON object' }])
  const faults: Fault[] = []
  const fault = (Field: string, Message: string) => void faults.push({ Field, Message })
  for (const name of Object.keys(body))
    if (!TAKES.includes(name))
      fault(
        name.slice(0, 100),
        `a webhook has no such field; it takes ${TAKES.join(', ')}${meantName(name, TAKES)}`,
      )
  if (!current) for (const name of ['Url', 'Events']) if (body[name] === undefined) fault(name, 'is required')

  let parsed: string | undefined
  if (body['Url'] !== undefined) {
    const checked = await checkedUrl(body['Url'], rules, resolve)
    if ('fault' in checked) fault('Url', checked.fault)
    else parsed = checked.url
  }
  const names = eventNames(definitions)
  const events = body['Events'] === undefined ? current?.['Events'] : body['Events']
  const objects = new Set<string>()
  if (body['Events'] !== undefined) {
    const wrong = eventsFault(body['Events'], names)
    if (wrong !== undefined) fault('Events', wrong)
  }
  if (isTexts(events))
    for (const pattern of events) for (const object of objectsOf(pattern, names) ?? []) objects.add(object)

  const secret = body['Secret']
  if (secret !== undefined && !isSecret(secret))
    fault('Secret', `must be text of 1 to ${MAX_SECRET} characters, without control characters`)
  for (const name of ['Ordered', 'IsActive'])
    if (body[name] !== undefined && typeof body[name] !== 'boolean') fault(name, 'must be true or false')
  for (const name of ['Description', 'Filter'])
    if (body[name] !== undefined && body[name] !== null && typeof body[name] !== 'string')
      fault(name, 'must be text')

  const filter = body['Filter'] === undefined ? current?.['Filter'] : body['Filter']
  if (typeof filter === 'string' && isTexts(events))
    faults.push(...filterFaults(filter, objects, definitions))
  if (faults.length > 0) throw new Invalid('The webhook is not valid.', faults)
  const { Secret: _, ...fields } = body
  return {
    fields: { ...fields, ...(parsed !== undefined && { Url: parsed }) },
    secret: secret as string | undefined,
    objects,
  }
}

/** Whether the text can be a secret: short ones are taken, with a warning. */
export function isSecret(value: Json): value is string {
  return typeof value === 'string' && /^[^\p{Cc}\p{Cs}]{1,256}$/u.test(value)
}

/** The URL as it is connected to: what the text that was sent only seems to say is not kept. */
async function checkedUrl(
  value: Json | undefined,
  rules: AddressRules,
  resolve: SubscriptionOptions['resolve'],
): Promise<{ readonly url: string } | { readonly fault: string }> {
  if (typeof value !== 'string') return { fault: 'must be text' }
  if (value.length > 2_048) return { fault: 'is longer than 2048 characters' }
  const checked = checkUrl(value, rules)
  if (typeof checked === 'string') return { fault: checked }
  const { url, address } = checked
  // A URL without a path stays as it was written.
  const kept = { url: url.href === `${value}/` ? value : url.href }
  if (address !== undefined) return kept
  const found = await resolve(url.hostname)
  if (found.some((one) => !rules.mayReach(one)))
    return { fault: 'leads to an address that deliveries may not reach' }
  const isInside = found.length > 0 && found.every((one) => rules.isOpened(one))
  return url.protocol === 'http:' && !isInside ? { fault: 'must begin with https://' } : kept
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length <= MAX_EVENTS && value.every((one) => typeof one === 'string')
}

function eventsFault(value: Json | undefined, names: readonly EventName[]): string | undefined {
  if (Array.isArray(value) && value.length > MAX_EVENTS) return `has more than ${MAX_EVENTS} names`
  if (!isTexts(value) || value.length === 0) return 'must be an array of event names, at least one'
  if (new Set(value).size < value.length) return 'names an event twice'
  const unknown = value.find((pattern) => objectsOf(pattern, names) === undefined)
  if (unknown === undefined) return undefined
  const known = names.flatMap(({ name, object }) => (object === undefined ? [name] : [name, `${object}.*`]))
  return `there is no event ${JSON.stringify(unknown.slice(0, 100))}${meantName(unknown, known)}; GET /api/v1/webhooks/events lists them, and * and contract.* are taken`
}

function filterFaults(
  filter: string,
  objects: ReadonlySet<string>,
  definitions: Definitions,
): readonly Fault[] {
  const [object, another] = objects
  const definition = definitions.get(object ?? '')
  if (!definition || another !== undefined)
    return [{ Field: 'Filter', Message: 'needs Events of exactly one object, whose fields it names' }]
  try {
    parseFilter(filter, definition, definitions)
    return []
  } catch (error) {
    if (!(error instanceof Invalid)) throw error
    return error.faults.map(({ Message }) => ({ Field: 'Filter', Message }))
  }
}
