/** The body of a message as JSON, whatever it came as. */
import { isObject, type Json } from '../../domain/json.ts'
import type { Received } from '../definition/receive-schema.ts'
import { resolveSenml } from './senml.ts'

/**
 * Undefined where it is not what the file says it is.
 * @param receivedAt in ms since 1970: some messages count from then
 */
export function payloadOf(
  { body: kind, verify }: Pick<Received, 'body' | 'verify'>,
  body: Uint8Array,
  receivedAt: number,
): Json | undefined {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
  if (kind === 'form') return Object.fromEntries(new URLSearchParams(text))
  try {
    const json = JSON.parse(text) as Json
    return resolvedPayload(kind, isSubscribed(verify) ? deliveredIn(kind, json) : json, receivedAt)
  } catch {
    return undefined
  }
}

/** JSON as mappings read it. */
export function resolvedPayload(
  kind: Received['body'],
  json: Json | undefined,
  receivedAt: number,
): Json | undefined {
  return kind === 'senml' && json !== undefined ? resolveSenml(json, receivedAt) : json
}

export const isSubscribed = (verify: Received['verify']): boolean =>
  verify.some((scheme) => 'subscribed' in scheme)

/** What a broker delivered, as it was kept: the list alone, or the message with its topic. */
function deliveredIn(kind: Received['body'], kept: Json): Json | undefined {
  if (!isObject(kept) || !Object.hasOwn(kept, 'message')) return undefined
  return kind === 'senml' ? kept['message'] : kept
}
