/**
 * The first event of a store: it gives the log its identity. Followers keep the id with their checkpoints, and so notice
 * when the log is another one.
 */
import { SYSTEM, type NewEvent } from './event.ts'
import { ENVELOPE } from './upcast.ts'

/** The name of the stream that holds it, of the company `SYSTEM`. */
export const STORE = 'store'

/**
 * @param id a fresh UUID: the log's identity, and that of the event
 * @param now in ms since 1970
 */
export function storeOpened(id: string, now: number): NewEvent {
  const at = new Date(now).toISOString()
  return {
    id,
    type: 'store.opened',
    data: { Id: id },
    metadata: {
      envelope: ENVELOPE,
      company: SYSTEM,
      actor: SYSTEM,
      at,
      recordedAt: at,
      $correlationId: id,
      command: 'open',
      source: 'system',
      schema: 1,
    },
  }
}
