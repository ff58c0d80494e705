/** How many records match a query: remembered, counted here when that is quick, or counted in the reader pool. */
import type { ObjectDefinition } from '../../../../domain/definition.ts'
import type { Company, Position } from '../../../../domain/events/event.ts'
import { matches } from '../../../../domain/filter/evaluate.ts'
import { pathsOf } from '../../../../domain/filter/paths.ts'
import { searchWords } from '../../../../domain/search/search-words.ts'
import { beginSome, hasWords, searchedText } from '../../../../domain/search/searched-text.ts'
import type { Fields } from '../../../../domain/json.ts'
import type { ListQuery } from '../../../../ports/read-models.ts'
import { compileFilter, ownColumns, type Sql } from './compile-filter.ts'
import { countDriverOf, countSql, type ListOf } from './compile-list.ts'
import type { RecordChanges } from '../../events/engine-messages.ts'
import type { ReadModelFile } from '../read-model-file.ts'
import type { ReaderPool } from './reader-pool.ts'
import { rememberedTotals, type Counted } from './totals.ts'

export interface RecordCounts {
  /** `all`: how many records the company has of the object. */
  total(list: ListOf, company: Company, all: number): Promise<number>
  changed(changes: RecordChanges): void
  /** Whatever is remembered may be out of date. */
  forget(): void
}

export interface RecordCountsOptions {
  readonly file: () => ReadModelFile
  readonly pool: Pick<ReaderPool, 'run'>
}

/** Up to this many rows are looked at on the main thread: a millisecond or so. */
export const SHORT = 5_000
/** Entries of an index cost thirty nanoseconds each. */
const SHORT_IN_INDEX = 40_000

/** Positions of the projections that wrote what is counted: where they differ, no one position says what is in the file. */
const POSITIONS: Sql = { text: 'SELECT min(position), max(position) FROM projections', params: [] }

export function recordCounts({ file, pool }: RecordCountsOptions): RecordCounts {
  let totals = rememberedTotals()

  const quick = (list: ListOf, all: number): number | undefined => {
    const one = (sql: Sql) => Number(file().rows(sql)[0]?.[0] ?? 0)
    if (list.wordsIn) return undefined // documents are read
    if (all <= SHORT) return one(countSql(list))
    if (!countDriverOf(list)?.covers) return undefined
    const some = one(countSql(list, SHORT_IN_INDEX))
    return some < SHORT_IN_INDEX ? some : undefined
  }

  return {
    async total(list, company, all) {
      const { query } = list
      if (!query.filter && !query.words?.length) return all
      const counted = countedOf(list, company)
      const remembered = totals.get(counted)
      if (remembered !== undefined) return remembered
      const stamp = totals.stamp(counted)
      const remember = (standing: readonly unknown[] | undefined, total: number) => {
        const [least, most] = (standing ?? []) as Position[]
        if (least !== undefined && least === most) totals.set(counted, stamp, least, total)
        return total
      }
      const here = file().snapshot(() => ({ standing: file().rows(POSITIONS)[0], total: quick(list, all) }))
      if (here.total !== undefined) return remember(here.standing, here.total)
      // What runs in the pool looks at the time.
      const [standing, found] = await pool.run([POSITIONS, countSql({ ...list, timed: true })])
      return remember(standing?.[0], Number(found?.[0]?.[0] ?? 0))
    },
    changed(changes) {
      for (const [scope, { listed }] of changes) {
        if (listed) totals.changed(scope, listed)
        else totals.shaken(scope)
      }
    },
    forget() {
      totals = rememberedTotals()
    },
  }
}

/** By the documents of changes, each of which many totals look at. */
const wordsOfDocuments = new WeakMap<Fields, readonly string[]>()

function wordsOf(definition: ObjectDefinition, document: Fields): readonly string[] {
  let words = wordsOfDocuments.get(document)
  if (!words) wordsOfDocuments.set(document, (words = searchWords(searchedText(definition, document))))
  return words
}

function countedOf({ definition, company: number, query }: ListOf, company: Company): Counted {
  const { object, filter, words = [], wordsIn } = query
  const compiled = filter && compileFilter(filter, 'r', number)
  return {
    id: JSON.stringify([object, number, words, wordsIn, compiled?.text, compiled?.params]),
    scope: `${object} ${company}`,
    others: objectsBeyond(query).map((other) => `${other} ${company}`),
    // A filter that looks at other records is counted again when these change; here all is in the document.
    holds: (document) =>
      (!filter || matches(filter, document, () => undefined)) &&
      (words.length === 0 ||
        (wordsIn
          ? hasWords(searchedText(definition, document, wordsIn), words)
          : beginSome(wordsOf(definition, document), words))),
  }
}

/** Objects whose records decide, beside the record itself, which match. */
function objectsBeyond({ filter }: ListQuery): string[] {
  const beyond = filter ? pathsOf(filter).filter((path) => !ownColumns(path)) : []
  return [...new Set(beyond.flatMap(({ hops }) => hops.map(({ lookup }) => lookup.target ?? '')))]
}
