/** The body of a message as JSON, whatever it came as. */
import type { Json } from '../../domain/json.ts'
import type { Received } from '../definition/receive-schema.ts'
import { resolveSenml } from './senml.ts'

/**
 * Undefined where it is not what the file says it is.
 * @param receivedAt in ms since 1970: some messages count from then
 */
export function payloadOf(
  { body: kind }: Pick<Received, 'body'>,
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
    return resolvedPayload(kind, JSON.parse(text) as Json, receivedAt)
  } catch {
    return undefined
  }
}

/** JSON as mappings read it. */
export function resolvedPayload(kind: Received['body'], json: Json, receivedAt: number): Json | undefined {
  return kind === 'senml' ? resolveSenml(json, receivedAt) : json
}
