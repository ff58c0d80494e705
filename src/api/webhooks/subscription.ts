/**
 * What a client sends to create or change a webhook, checked: every fault found is named.
 */
import type { z } from 'zod'
import { faultsOf, Invalid, type Fault } from '../../domain/errors.ts'
import type { Definitions } from '../../domain/definition.ts'
import { meantName } from '../../domain/filter/closest-name.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import type { Fields } from '../../domain/json.ts'
import { bodyOrFaults } from '../../shapes/body.ts'
import { readRepaired } from '../../shapes/repaired.ts'
import { checkUrl, type AddressRules } from '../../webhooks/addresses.ts'
import { eventNames, objectsOf, type EventName } from '../../webhooks/event-names.ts'
import { changedWebhook, newWebhook } from './bodies.ts'

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

/** A secret shorter than this can be guessed, in characters. */
export const SHORT_SECRET = 24

/**
 * @param current the webhook as it is; undefined for a new one
 * @throws Invalid naming every fault
 */
export async function readSubscription(
  body: unknown,
  current: Fields | undefined,
  { definitions, rules, resolve }: SubscriptionOptions,
): Promise<Subscription> {
  const read = bodyOrFaults<z.infer<typeof changedWebhook>>(current ? changedWebhook : newWebhook, body)
  const faults: Fault[] = 'faults' in read ? [...read.faults] : []
  const { Secret: secret, ...sent } =
    'data' in read ? read.data : (readRepaired(changedWebhook, body).data ?? {})
  const fault = (Field: string, Message: string) => void faults.push({ Field, Message })
  let parsed: string | undefined
  if (sent.Url !== undefined) {
    const checked = await checkedUrl(sent.Url, rules, resolve)
    if ('fault' in checked) fault('Url', checked.fault)
    else parsed = checked.url
  }
  const names = eventNames(definitions)
  const unknown = sent.Events && unknownEvent(sent.Events, names)
  if (unknown !== undefined) fault('Events', unknown)
  const patterns = sent.Events ?? (current?.['Events'] as readonly string[] | undefined) ?? []
  const objects = new Set(patterns.flatMap((pattern) => [...(objectsOf(pattern, names) ?? [])]))
  const filter = sent.Filter === undefined ? current?.['Filter'] : sent.Filter
  // One that is left as it is may name a choice that is gone by now.
  const written = sent.Filter === undefined && sent.Events === undefined ? undefined : 'kept'
  if (typeof filter === 'string') faults.push(...filterFaults(filter, objects, definitions, written))
  if (faults.length > 0) throw new Invalid('The webhook is not valid.', faults)
  return { fields: { ...sent, ...(parsed !== undefined && { Url: parsed }) }, secret, objects }
}

/** The URL as it is connected to: what the text that was sent only seems to say is not kept. */
async function checkedUrl(
  value: string,
  rules: AddressRules,
  resolve: SubscriptionOptions['resolve'],
): Promise<{ readonly url: string } | { readonly fault: string }> {
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

/** What is wrong where one of them is not known. */
function unknownEvent(patterns: readonly string[], names: readonly EventName[]): string | undefined {
  const unknown = patterns.find((pattern) => objectsOf(pattern, names) === undefined)
  if (unknown === undefined) return undefined
  const known = names.flatMap(({ name, object }) => (object === undefined ? [name] : [name, `${object}.*`]))
  return `there is no event ${JSON.stringify(unknown.slice(0, 100))}; GET /api/v1/webhooks/events lists them, and * and contract.* are taken${meantName(unknown, known)}`
}

function filterFaults(
  filter: string,
  objects: ReadonlySet<string>,
  definitions: Definitions,
  written: 'kept' | undefined,
): readonly Fault[] {
  const [object, another] = objects
  const definition = definitions.get(object ?? '')
  if (!definition || another !== undefined)
    return [{ Field: 'Filter', Message: 'needs Events of exactly one object, whose fields it names' }]
  return faultsOf(() => parseFilter(filter, definition, definitions, written)).map(({ Message }) => ({
    Field: 'Filter',
    Message,
  }))
}
