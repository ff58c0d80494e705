/** The body of a message as JSON, whatever it came as. */
import type { Json } from '../../domain/json.ts'
import type { Received } from '../definition/receive-schema.ts'

/** Undefined where it is not what the file says it is. */
export function payloadOf({ body: kind }: Pick<Received, 'body'>, body: Uint8Array): Json | undefined {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
  if (kind === 'form') return Object.fromEntries(new URLSearchParams(text))
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
