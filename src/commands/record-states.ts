/**
 * The present state of records, folded from their streams and remembered.
 *
 * A remembered state is current when this process is the only writer of the store; otherwise the stream is asked for
 * what came after it.
 */
import type { Company, RecordedEvent } from '../domain/event.ts'
import { absent, evolve, type RecordState } from '../domain/record.ts'
import type { EventStore } from '../ports/event-store.ts'

export interface RecordStates {
  /** No other process appends to the store. */
  readonly onlyWriter: boolean
  load(company: Company, key: string): Promise<RecordState>
  /** The present state, when it is at hand; undefined says nothing. */
  peek(company: Company, key: string): RecordState | undefined
  /** The stream has grown by these events, appended by this process. */
  learn(key: string, state: RecordState, events: readonly RecordedEvent[]): RecordState
  forget(key: string): void
}

export interface RecordStatesOptions {
  readonly events: Pick<EventStore, 'read'>
  /** No other process appends to the store. */
  readonly onlyWriter: boolean
  /** How many states are remembered. */
  readonly capacity?: number
}

export function recordStates({ events, onlyWriter, capacity = 20_000 }: RecordStatesOptions): RecordStates {
  const known = new Map<string, { readonly company: Company; readonly state: RecordState }>()

  const remember = (company: Company, key: string, state: RecordState) => {
    const entry = known.get(key)
    // A slow reading may bring what is out of date by now.
    if (entry?.company === company && entry.state.version > state.version) return
    known.delete(key) // to the young end of the map
    if (known.size >= capacity) known.delete(known.keys().next().value!)
    known.set(key, { company, state })
  }

  return {
    onlyWriter,
    peek(company, key) {
      const entry = onlyWriter ? known.get(key) : undefined
      return entry?.company === company ? entry.state : undefined
    },
    async load(company, key) {
      const entry = known.get(key)
      const remembered = entry?.company === company ? entry.state : undefined
      if (remembered && onlyWriter) {
        remember(company, key, remembered)
        return remembered
      }
      const state = (await events.read(company, key, remembered?.version ?? 0)).reduce(
        evolve,
        remembered ?? absent,
      )
      if (state.status !== 'absent') remember(company, key, state)
      return state
    },
    learn(key, state, appended) {
      const next = appended.reduce(evolve, state)
      remember(appended[0]!.metadata.company, key, next)
      return next
    },
    forget: (key) => void known.delete(key),
  }
}
