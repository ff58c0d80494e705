/**
 * The present state of records, folded from their streams and remembered.
 *
 * A remembered state is current when this process is the only writer of the store. Otherwise it is current when it was read and every change since has come in (`told-changes.ts`); or else the stream is asked for what came after it.
 */
import type { Company, RecordedEvent } from '../../domain/events/event.ts'
import type { Json } from '../../domain/json.ts'
import { recentlyUsed } from '../../domain/recently-used.ts'
import { absent, evolve, type RecordState } from '../../domain/records/record.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ToldChanges } from './told-changes.ts'

export interface RecordStates {
  /** No other process appends to the store. */
  readonly onlyWriter: boolean
  load(company: Company, key: string): Promise<RecordState>
  /** The present state, when it is at hand; undefined says nothing. */
  peek(company: Company, key: string): RecordState | undefined
  /** The present state, when it can be had without reading its stream; undefined says nothing, at once or later. */
  recall(company: Company, key: string): Promise<RecordState | undefined> | undefined
  /**
   * The state as this process last knew it; undefined: it is not remembered, or is known to have changed since. Unlike
   * `peek` it may be out of date.
   */
  remembered(company: Company, key: string): RecordState | undefined
  /** The stream has grown by these events, appended by this process. */
  learn(key: string, state: RecordState, events: readonly RecordedEvent[]): RecordState
  forget(key: string): void
}

export interface RecordStatesOptions {
  readonly events: Pick<EventStore, 'read'>
  /** No other process appends to the store. */
  readonly onlyWriter: boolean
  /** What other processes change; absent: that is not known. */
  readonly changes?: ToldChanges | undefined
  /** Called when this process has changed a record, once its new state is the remembered one. */
  readonly onChanged?: ((key: string) => void) | undefined
  /** How many states are remembered at most; fewer where they are larger than 4 KB. */
  readonly capacity?: number
}

interface Remembered {
  readonly company: Company
  readonly state: RecordState
  /**
   * The highest version that has come in since the state was read. Undefined where a change could have come in before there was anything to note it on: nobody knows then whether the state is current.
   */
  told: number | undefined
}

/** Reads of one stream that are under way. */
interface Reading {
  count: number
  told: number
  readonly done: Promise<unknown>
}

export function recordStates({
  events,
  onlyWriter,
  changes,
  onChanged,
  capacity = 20_000,
}: RecordStatesOptions): RecordStates {
  const known = recentlyUsed<Remembered>(capacity)
  const readings = new Map<string, Reading>()

  changes?.listen((stream, version) => {
    for (const noted of [known.get(stream), readings.get(stream)])
      if (noted?.told !== undefined) noted.told = Math.max(noted.told, version)
  })

  const remember = (company: Company, key: string, state: RecordState, told?: number) => {
    const entry = known.get(key)
    const isSame = entry?.company === company
    // A slow reading may bring what is out of date by now.
    if (isSame && entry.state.version > state.version) return
    const before = isSame ? entry.told : undefined
    // Whatever was noted on either came in since the state was read.
    const since = told === undefined || before === undefined ? (told ?? before) : Math.max(told, before)
    known.set(key, { company, state, told: since }, weightOf(state))
  }

  const rememberedOf = (company: Company, key: string): Remembered | undefined => {
    const entry = known.get(key)
    return entry?.company === company ? entry : undefined
  }
  const isCurrent = ({ state, told }: Remembered) => told !== undefined && told <= state.version

  const recall: RecordStates['recall'] = (company, key) => {
    const before = rememberedOf(company, key)
    if (!before || !changes || !isCurrent(before)) return undefined
    return changes.caughtUp().then((isToldAll) => {
      const entry = isToldAll ? rememberedOf(company, key) : undefined
      if (!entry || !isCurrent(entry)) return undefined
      remember(company, key, entry.state)
      return entry.state
    })
  }

  const read = async (company: Company, key: string): Promise<RecordState> => {
    const remembered = rememberedOf(company, key)?.state
    const read = events.read(company, key, remembered?.version ?? 0)
    const reading = readings.get(key) ?? { count: 0, told: 0, done: read.catch(() => {}) }
    readings.set(key, reading)
    reading.count++
    try {
      const state = (await read).reduce(evolve, remembered ?? absent)
      if (state.status !== 'absent') remember(company, key, state, reading.told)
      return state
    } finally {
      if (--reading.count === 0) readings.delete(key)
    }
  }

  return {
    onlyWriter,
    peek(company, key) {
      return onlyWriter ? rememberedOf(company, key)?.state : undefined
    },
    recall,
    remembered(company, key) {
      const entry = rememberedOf(company, key)
      return entry && (entry.told ?? 0) <= entry.state.version ? entry.state : undefined
    },
    async load(company, key) {
      if (onlyWriter) {
        const remembered = rememberedOf(company, key)?.state
        if (!remembered) return read(company, key)
        remember(company, key, remembered)
        return remembered
      }
      // What another is reading already need not be read once more, if nothing has changed since.
      if (changes && !rememberedOf(company, key)) await readings.get(key)?.done
      return (await recall(company, key)) ?? read(company, key)
    },
    learn(key, state, appended) {
      const next = appended.reduce(evolve, state)
      remember(appended[0]!.metadata.company, key, next)
      onChanged?.(key)
      return next
    },
    forget(key) {
      known.delete(key)
      onChanged?.(key)
    },
  }
}

const CHARACTERS_A_WEIGHT = 4_000

/** Twenty thousand small states take 80 MB at most; large ones must not take gigabytes. */
function weightOf({ fields }: RecordState): number {
  let characters = 0
  for (const name in fields) characters += sizeOf(fields[name]!)
  return 1 + Math.floor(characters / CHARACTERS_A_WEIGHT)
}

/** About how many characters a value takes. */
function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length
  if (value === null || typeof value !== 'object') return 0
  let size = 0
  for (const member of Object.values<Json>(value)) size += 20 + sizeOf(member)
  return size
}
