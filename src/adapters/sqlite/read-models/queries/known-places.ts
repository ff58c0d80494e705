/**
 * Records at known places of the list of all, newest first: a page far back is read from the nearest of them on, where SQLite
 * would step over every newer record.
 *
 * Places are counted from the oldest record, so that a new one moves none. A record that is removed or restored moves those
 * after it: the file counts such moves (`moved` of its totals), and a place that was found before the last of them is looked for once more.
 */
import { recentlyUsed } from '../../../../domain/recently-used.ts'

export interface Standing {
  /** How many records there are. */
  readonly total: number
  /** How many have come or gone elsewhere than at the end. */
  readonly moved: number
}

/** The place to begin at, and how many records are to be passed from there. */
export interface Begin {
  readonly place: number
  readonly passed: number
}

export interface KnownPlaces {
  /** The number of the record at this place; undefined: it has to be looked for. */
  get(list: string, place: number, moved: number): number | undefined
  set(list: string, place: number, moved: number, n: number): void
  clear(): void
}

/** Between two places: some microseconds of stepping. */
const STEP = 200
/** Places of all lists together, some 100 bytes each. */
const MOST = 50_000

/** Where to begin for a page after `offset` records; undefined: at the newest, which is as near. */
export function beginOf({ total }: Standing, offset: number): Begin | undefined {
  const first = total - offset
  const place = Math.ceil(first / STEP) * STEP
  return place < total ? { place, passed: place - first } : undefined
}

export function knownPlaces(): KnownPlaces {
  const known = recentlyUsed<{ readonly n: number; readonly moved: number }>(MOST)
  return {
    get(list, place, moved) {
      const found = known.get(`${list} ${place}`)
      return found?.moved === moved ? found.n : undefined
    },
    set: (list, place, moved, n) => known.set(`${list} ${place}`, { n, moved }),
    clear: () => known.clear(),
  }
}
