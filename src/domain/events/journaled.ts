/** What a journal says of an event, the same on every engine. It is read from the stored text: also of an event that cannot be read. */
import { objectOfKey } from '../records/key.ts'

export interface Journaled {
  readonly object: string
  /** '' where it is not known. */
  readonly actor: string
  /** Milliseconds since 1970, 0 where it is not known. Journals keep the latest of the company so far. */
  readonly at: number
}

/** Undefined for bookkeeping, of which journals say nothing. @param metadata as it is stored */
export function journaled(stream: string, metadata: string): Journaled | undefined {
  const object = objectOfKey(stream)
  if (object === undefined) return undefined
  const { actor = '', recordedAt, at } = readMetadata(metadata)
  return { object, actor, at: Date.parse(recordedAt ?? at ?? '') || 0 }
}

/** Nothing of what is not JSON: a journal goes on after such an event. */
function readMetadata(text: string): {
  readonly actor?: string
  readonly recordedAt?: string
  readonly at?: string
} {
  try {
    return JSON.parse(text) as { actor?: string; recordedAt?: string; at?: string }
  } catch {
    return {}
  }
}
