/**
 * Packs: rows of an append-only object that came together, stored as one event (docs/decisions/append-only.md).
 *
 * A pack is a stream of one event, `<object>.packed`. A row's Key names its pack and its place there, so that a row is found
 * without an index. What happens to a row later is in a stream of its own, which begins with version 2. Keys of packs and rows
 * differ from all others by the version of their UUID, 8.
 */
import type { ObjectDefinition } from '../definition.ts'
import type { Fields, Json } from '../json.ts'
import { objectOfKey } from '../records/key.ts'
import type { NewEvent, Position, RecordedEvent } from './event.ts'

/** The most rows of one pack. */
export const PACK_ROWS = 500

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** A Key, or the name of a stream with its shard. The first letter of the group that holds the UUID's version is its 11th. */
const PACKED = /-[0-7][0-9a-hjkmnp-tv-z]{9}[gh][0-9a-hjkmnp-tv-z]{13}(?<place>[0-9a-hjkmnp-tv-z]{2})$/
const PLACE_LETTERS = 2

/** What a pack holds: each row's values in the order of the fields; null in the place of a row that was refused. */
export type PackData = {
  readonly Fields: readonly string[]
  readonly Rows: readonly (readonly Json[] | null)[]
}

/** The pack that a Key in the usual form leads to. */
export function packKeyOf(key: string): string {
  const suffix = key.length - 26
  const version = ALPHABET[16 + (ALPHABET.indexOf(key[suffix + 10]!) & 1)]!
  return `${key.slice(0, suffix + 10)}${version}${key.slice(suffix + 11, -PLACE_LETTERS)}00`
}

/** @param place from 1 */
export function rowKeyOf(pack: string, place: number): string {
  return pack.slice(0, -PLACE_LETTERS) + ALPHABET[place >> 5]! + ALPHABET[place & 31]!
}

/** The pack, and the place in it, that the Key of a row names; undefined for all other names. */
export function rowPlaceOf(key: string): { readonly pack: string; readonly place: number } | undefined {
  const letters = PACKED.exec(key)?.groups?.['place']
  if (letters === undefined || letters === '00') return undefined
  const place = ALPHABET.indexOf(letters[0]!) * 32 + ALPHABET.indexOf(letters[1]!)
  return { pack: rowKeyOf(key, 0), place }
}

/** Whether a Key names a pack itself, which is not a record. */
export const isPackKey = (key: string): boolean => PACKED.exec(key)?.groups?.['place'] === '00'

/** The version of a stream, with its shard or without, that has no event of its own: a row is in its pack already. */
export const versionBefore = (stream: string): number => (rowPlaceOf(stream) ? 1 : 0)

/**
 * The place of a record among those of its object, in the order of creation, by which read models number them: rows of a pack
 * have one position. Where the definition is no longer append-only, the rows that it left come before all others.
 */
export function creationOrder({ appendOnly }: ObjectDefinition, key: string, position: Position): number {
  const place = rowPlaceOf(key)?.place ?? 0
  if (!appendOnly && place === 0) return position
  const order = position * MOST_PLACES + place
  return appendOnly ? order : order - 2 ** 53
}

const MOST_PLACES = 1_024

/** Whether the event is a pack; also of one that cannot be read. */
export function isPack({ stream, type }: Pick<RecordedEvent, 'stream' | 'type'>): boolean {
  // The ending first: followers ask it of every event.
  return type.endsWith(PACKED_TYPE) && PACKED.test(stream) && type === packedType(objectOfKey(stream) ?? '')
}

const PACKED_TYPE = '.packed'
export const packedType = (object: string): string => `${object}${PACKED_TYPE}`

/** @param rows undefined in the place of one that was refused */
export function packData(rows: readonly (Fields | undefined)[]): PackData {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row ?? {})))]
  return {
    Fields: names,
    Rows: rows.map((row) => row && names.map((name) => row[name] ?? null)).map((row) => row ?? null),
  }
}

/**
 * What followers of all events make of one: the rows of a pack, each as the event that created it, or the event itself. One that
 * cannot be read is left to those who refuse it.
 * @throws Error for a pack that is not of its form
 */
export function unpacked(event: RecordedEvent): readonly RecordedEvent[] {
  if (!isPack(event) || event.unreadable !== undefined) return [event]
  const { Fields: names, Rows: rows } = requirePack(event)
  return rows.flatMap((row, index) => (row ? [rowEvent(event, names, row, index + 1)] : []))
}

/** The row of a pack, as the event that created it; undefined when the pack has none in that place. */
export function rowIn(pack: RecordedEvent | undefined, place: number): RecordedEvent | undefined {
  if (!pack || !isPack(pack) || pack.unreadable !== undefined) return undefined
  const { Fields: names, Rows: rows } = requirePack(pack)
  const row = rows[place - 1]
  return row ? rowEvent(pack, names, row, place) : undefined
}

/** Keys of the rows of a pack. */
export function rowKeysIn(pack: Pick<RecordedEvent, 'stream' | 'type' | 'data'>): readonly string[] {
  return requirePack(pack).Rows.flatMap((row, index) => (row ? [rowKeyOf(pack.stream, index + 1)] : []))
}

function requirePack({ data, stream, type }: Pick<RecordedEvent, 'stream' | 'type' | 'data'>): PackData {
  const { Fields: names, Rows: rows } = data
  const isWhole =
    Array.isArray(names) &&
    Array.isArray(rows) &&
    rows.length < 1_024 &&
    rows.every((row) => row === null || (Array.isArray(row) && row.length === names.length))
  if (!isWhole) throw new Error(`${type} of ${stream} is not a pack of rows`)
  return data as unknown as PackData
}

function rowEvent(
  pack: RecordedEvent,
  names: readonly string[],
  row: readonly Json[],
  place: number,
): RecordedEvent {
  const data: Record<string, Json> = {}
  for (let i = 0; i < names.length; i++) if (row[i] !== null) data[names[i]!] = row[i]!
  const type = `${objectOfKey(pack.stream)!}.created`
  return { ...pack, id: rowIdOf(pack, place), type, stream: rowKeyOf(pack.stream, place), version: 1, data }
}

/** The pack's id with the place in its last digits: a UUID that no other event has. */
function rowIdOf({ id }: Pick<NewEvent, 'id'>, place: number): string {
  return id.slice(0, -3) + place.toString(16).padStart(3, '0')
}
