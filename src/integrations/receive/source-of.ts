/** What a sender knows a message by, as the inbox keeps it. */
import type { Json } from '../../domain/json.ts'
import type { Received } from '../definition/receive-schema.ts'
import { idOfBody, messagesOf } from '../mapping/plan.ts'
import { Unmappable } from '../mapping/unmappable.ts'

/** Of a payload that brings several messages, or none that can be read, its digest. */
export function sourceOf(entry: Received, payload: Json, body: Uint8Array): string {
  if (entry.each !== undefined) return idOfBody(body)
  try {
    return messagesOf(entry, payload, body)[0]?.id ?? idOfBody(body)
  } catch (error) {
    if (!(error instanceof Unmappable)) throw error
    return idOfBody(body)
  }
}
