/**
 * The stream of a chunk: one event that says what became of each of its rows. The process that appends it first has done the chunk: it is
 * checkpoint, log of results and fence between processes in one. It holds no value of a cell.
 */
import type { Fields, Json } from '../../domain/json.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Caller } from '../../commands/command.ts'
import { appendIfFirst } from '../../commands/support/append-if-first.ts'
import { eventId } from '../../commands/support/identifiers.ts'
import { metadataOf } from '../../commands/support/metadata.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { RowFault } from './faults.ts'
import type { Outcome, RowResult } from './outcomes.ts'

const ROWS_DONE = 'importrows.done'

/** Faults of a row that are kept. */
const MOST_FAULTS = 20
/** Different messages and fields of a chunk that are kept, in characters: an event stays under 900 KB. */
const MOST_TEXT = 250_000

/** One letter each, for ever. */
const LETTERS: Readonly<Record<Outcome, string>> = {
  Created: 'C',
  Updated: 'U',
  Unchanged: 'N',
  Skipped: 'S',
  Failed: 'F',
  Undone: 'D',
  Kept: 'K',
}
const OUTCOME_OF = new Map(Object.entries(LETTERS).map(([outcome, letter]) => [letter, outcome as Outcome]))

/** `run`: 0 for the commit, then one for each retry. */
export function chunkStream(importKey: string, run: number, chunk: number): string {
  const suffix = importKey.slice(importKey.indexOf('-') + 1)
  return run === 0 ? `importrows-${suffix}-${chunk}` : `importrows-${suffix}-r${run}-${chunk}`
}

/** As data of the event. Texts that repeat are kept once, and named by their place. */
export function packResults(results: readonly RowResult[]): Fields {
  const texts: string[] = []
  const places = new Map<string, number>()
  let size = 0
  const placeOf = (text: string): number | undefined => {
    const known = places.get(text)
    if (known !== undefined || size + text.length > MOST_TEXT) return known
    size += text.length + 8
    places.set(text, texts.length)
    return texts.push(text) - 1
  }
  const rows = results.map(({ row, outcome, key, version, fault }): Json => {
    const letter = LETTERS[outcome]
    if (!fault) return key === undefined ? [row, letter] : [row, letter, key, version ?? 0]
    const kept = fault.faults.slice(0, MOST_FAULTS).flatMap(({ Field, Message }): Json[] => {
      const [field, message] = [placeOf(Field.slice(0, 100)), placeOf(Message)]
      return field === undefined || message === undefined ? [] : [[field, message]]
    })
    const record: Json[] = key === undefined ? [] : [key, version ?? 0]
    return [row, letter, fault.code, kept, fault.faults.length - kept.length, ...record]
  })
  return { Texts: texts, Rows: rows }
}

export function unpackResults({ Texts, Rows }: Fields): RowResult[] {
  const texts = Texts as readonly string[]
  return (Rows as unknown as readonly (readonly Json[])[]).map((stored) => {
    const [row, letter, third, fourth, more, key, version] = stored
    const base = { row: row as number, outcome: OUTCOME_OF.get(letter as string)! }
    if (third === undefined) return base
    if (!Array.isArray(fourth)) return { ...base, key: third as string, version: fourth as number }
    const faults = (fourth as unknown as readonly (readonly [number, number])[]).map(([field, message]) => ({
      Field: texts[field]!,
      Message: texts[message]!,
    }))
    return {
      ...base,
      ...(key !== undefined && { key: key as string, version: version as number }),
      fault: { code: third as RowFault['code'], faults },
      ...((more as number) > 0 && { more: more as number }),
    }
  })
}

export interface ChunkLog {
  /** What became of the rows of a chunk; undefined: it is not done. */
  read(
    company: Company,
    importKey: string,
    run: number,
    chunk: number,
  ): Promise<readonly RowResult[] | undefined>
  /** Records the results, or answers those that another process has recorded before. */
  record(
    caller: Caller,
    importKey: string,
    run: number,
    chunk: number,
    results: readonly RowResult[],
  ): Promise<readonly RowResult[]>
}

export function chunkLog(events: Pick<EventStore, 'append' | 'last'>, now: () => number): ChunkLog {
  const read: ChunkLog['read'] = async (company, importKey, run, chunk) => {
    const last = await events.last(company, chunkStream(importKey, run, chunk))
    return last && unpackResults(last.data)
  }
  return {
    read,
    async record(caller, importKey, run, chunk, results) {
      const stream = chunkStream(importKey, run, chunk)
      const { company } = caller
      const event = {
        id: eventId(caller.command, stream, 0),
        type: ROWS_DONE,
        data: packResults(results),
        metadata: metadataOf(caller, { type: ROWS_DONE, command: 'import', now: now() }),
      }
      if (await appendIfFirst(events, { company, stream, expected: 0, events: [event] })) return results
      return (await read(company, importKey, run, chunk)) ?? results
    },
  }
}
