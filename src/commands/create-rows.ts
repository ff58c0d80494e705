/**
 * Creates what a request brings for an append-only object: each row is judged by itself, and those that are right are stored
 * together, as packs (docs/decisions/append-only.md).
 */
import type { Definitions, ObjectDefinition } from '../domain/definition.ts'
import { Conflict, Refused, TooLarge } from '../domain/errors.ts'
import type { NewEvent, RecordedEvent } from '../domain/events/event.ts'
import { packData, packedType, packKeyOf, PACK_ROWS, rowPlaceOf, unpacked } from '../domain/events/packs.ts'
import { sightOf } from '../domain/grant.ts'
import type { Fields, Json } from '../domain/json.ts'
import { absent, evolve } from '../domain/records/record.ts'
import { checkStays } from '../rights/reach.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Caller } from './command.ts'
import { createRecord } from './create-record.ts'
import { derivedKey, eventId, type Identifiers } from './support/identifiers.ts'
import type { KeyedLocks } from './support/keyed-locks.ts'
import { metadataOf } from './support/metadata.ts'
import type { Written } from './support/record-appends.ts'
import type { RecordStates } from './support/record-states.ts'
import { checkReferences, lookedUp } from './support/references.ts'

export interface CreateRows {
  readonly definition: ObjectDefinition
  /** At most 500. */
  readonly bodies: readonly Json[]
  /** Dates of the past are taken. */
  readonly importing?: boolean
}

/** In the order of the bodies: what was stored, or why it was not. */
export type CreatedRow = Written | Refused

export interface CreatesRows {
  /**
   * Of an append-only object: what is right is stored together.
   * @throws Unavailable when the store cannot take it now; what was stored is known when the request comes again
   */
  createRows(caller: Caller, rows: CreateRows): Promise<readonly CreatedRow[]>
}

export interface CreateRowsOptions {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'append' | 'read'>
  readonly states: RecordStates
  readonly clock: Pick<Clock, 'now'>
  readonly identifiers: Identifiers
  readonly locks: KeyedLocks
}

/** What a pack may hold in characters of JSON: events are at most 1 MB, and a character can take three bytes. */
const MOST_CHARACTERS = 300_000

export function createRows(options: CreateRowsOptions): CreatesRows['createRows'] {
  return async (caller, rows) => {
    const { definition, bodies, importing = false } = rows
    if (bodies.length > PACK_ROWS) throw new RangeError(`${bodies.length} rows are more than a pack holds`)
    const now = options.clock.now()
    const today = importing ? undefined : new Date(now).toISOString().slice(0, 10)
    const before = await storedBefore(options, caller, definition)
    const wanted = [...new Set(bodies.flatMap((body) => lookedUp(definition, body)))]
    const shared = wanted.map((key) => ({ key, shared: true }))
    return options.locks.holding(shared, async () => {
      const judge = judgeRow(options, caller, definition, today)
      const judged: (Fields | Refused)[] = []
      for (const [index, body] of bodies.entries())
        judged.push(before.rows.has(index + 1) ? {} : await judge(body))
      return store(options, { caller, definition, judged, before, now })
    })
  }
}

interface StoredBefore {
  /** How many packs an earlier run of the request has stored. */
  readonly packs: number
  /** Their rows by place. */
  readonly rows: ReadonlyMap<number, RecordedEvent>
}

async function storedBefore(
  { events }: CreateRowsOptions,
  caller: Caller,
  definition: ObjectDefinition,
): Promise<StoredBefore> {
  const rows = new Map<number, RecordedEvent>()
  for (let packs = 0; ; packs++) {
    const key = derivedPack(caller, definition, packs)
    const [pack] = key === undefined ? [] : await events.read(caller.company, key)
    if (!pack) return { packs, rows }
    for (const [place, row] of byPlace(pack)) rows.set(place, row)
  }
}

/** Undefined where the request cannot have been run before. */
function derivedPack(
  { command, repeatedFrom }: Caller,
  { object }: ObjectDefinition,
  number: number,
): string | undefined {
  if (repeatedFrom === undefined) return undefined
  return packKeyOf(derivedKey(object, `${command}/pack/${number}`, repeatedFrom))
}

/** A row as it would be stored, or why it cannot be. */
function judgeRow(
  options: CreateRowsOptions,
  caller: Caller,
  definition: ObjectDefinition,
  today: string | undefined,
) {
  const writable = sightOf(caller.grant ?? {})
  const { company } = caller
  /** Rows mostly look up the same records. */
  const found = new Map<string, Promise<void>>()
  const check = (data: Fields): Promise<void> => {
    const name = lookedUp(definition, data).join(' ')
    let checking = found.get(name)
    if (!checking) found.set(name, (checking = checkReferences(options, caller, definition, data)))
    return checking
  }
  return async (body: Json): Promise<Fields | Refused> => {
    try {
      const { type, data } = createRecord({ definition, body, today, writable })
      if (JSON.stringify(data).length > MOST_CHARACTERS)
        throw new TooLarge(`a ${definition.object} is at most ${MOST_CHARACTERS} characters of JSON`)
      await check(data)
      if (caller.grant?.shares) {
        const metadata = { recordedAt: '' }
        const state = evolve(absent, { type, data, version: 1, position: 0, metadata })
        await checkStays(options, caller.grant, { company, definition, key: '', state }, body)
      }
      return data
    } catch (error) {
      if (error instanceof Refused) return error
      throw error
    }
  }
}

interface ToStore {
  readonly caller: Caller
  readonly definition: ObjectDefinition
  readonly judged: readonly (Fields | Refused)[]
  readonly before: StoredBefore
  readonly now: number
}

async function store(options: CreateRowsOptions, given: ToStore): Promise<readonly CreatedRow[]> {
  const { caller, judged, before } = given
  const results = new Map<number, CreatedRow>()
  const open: (Fields | undefined)[] = []
  for (const [index, row] of judged.entries()) {
    const stored = before.rows.get(index + 1)
    if (stored) results.set(index, writtenOf(stored, true))
    else if (row instanceof Refused) results.set(index, row)
    else open[index] = row
  }
  const packs = piecesOf(open)
  for (const [number, rows] of packs.entries()) {
    const stored = byPlace(await storePack(options, given, before.packs + number, rows))
    for (const index of rows.keys()) {
      if (!rows[index]) continue
      const row = stored.get(index + 1)
      results.set(index, row ? { ...writtenOf(row, false), ...judgedOnly(caller) } : refusedBefore())
    }
  }
  return judged.map((_, index) => results.get(index)!)
}

/** Another run of the request, at the same time, has judged it otherwise. */
const refusedBefore = () =>
  new Conflict('it was refused when the request first came: send it by another request')

const byPlace = (pack: RecordedEvent): Map<number, RecordedEvent> =>
  new Map(unpacked(pack).map((row) => [rowPlaceOf(row.stream)!.place, row]))

const judgedOnly = ({ dryRun }: Caller) => (dryRun ? { judgedOnly: true as const } : {})

function writtenOf(row: RecordedEvent, isRepeated: boolean): Written {
  const { stream: key, position, metadata } = row
  const state = evolve(absent, row)
  return { key, state, position, created: true, ...(isRepeated && { repeatedBy: metadata.source }) }
}

/** Rows keep their places, whatever pack they go into. */
function piecesOf(rows: readonly (Fields | undefined)[]): (Fields | undefined)[][] {
  const pieces: (Fields | undefined)[][] = []
  let characters = Infinity
  for (const [index, row] of rows.entries()) {
    if (!row) continue
    const size = JSON.stringify(row).length
    if (characters + size > MOST_CHARACTERS) {
      pieces.push([])
      characters = 0
    }
    characters += size
    pieces.at(-1)![index] = row
  }
  return pieces
}

/** The pack as it is stored: by this run, or by another of the same request. */
async function storePack(
  { events, identifiers }: CreateRowsOptions,
  { caller, definition, now }: ToStore,
  number: number,
  rows: readonly (Fields | undefined)[],
): Promise<RecordedEvent> {
  const { company, command, reason } = caller
  const { object } = definition
  const derived = derivedPack(caller, definition, number)
  const stream = derived ?? packKeyOf(identifiers.newKey(object))
  const type = packedType(object)
  const event: NewEvent = {
    id: eventId(command, stream, 0),
    type,
    data: packData(Array.from(rows)),
    ...(reason !== undefined && { reason }),
    metadata: metadataOf(caller, { type, command: 'create', now, definition }),
  }
  if (caller.dryRun) return { ...event, stream, version: 1, position: 0 }
  const { version, position } = await events.append({ company, stream, expected: 0, events: [event] })
  const [stored] = derived === undefined ? [] : await events.read(company, derived)
  return stored ?? { ...event, stream, version, position }
}
