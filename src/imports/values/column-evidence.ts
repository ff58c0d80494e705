/**
 * What a column is, by all of its cells: a fold over every row which at the end decides or asks. One cell can rule a
 * reading out (`13/04/2029` has no month 13), no number of cells can guess one.
 */
import type { SourceCell } from '../formats/reader.ts'
import { booleanWords, type BooleanWords } from './booleans.ts'
import { dateFormatsOf, type DateFormat } from './dates.ts'
import { decimalSignOf, isShortened, type DecimalSign } from './numbers.ts'

/** What the cells say, or that they do not: `ask` has the readings that are possible, each of which some cell needs or all allow. */
export type Decision<Reading> =
  | { readonly decided: Reading; readonly by?: Example }
  | { readonly ask: readonly Reading[]; readonly example: Example }
  /** No cell is of this kind. */
  | { readonly none: true }

/** A cell, as the answer to the question may show it. */
export interface Example {
  readonly row: number
  readonly text: string
}

export interface ColumnFindings {
  /** Cells that are not empty. */
  readonly filled: number
  readonly empty: number
  readonly longest: number
  /** How many of the cells can be read so, in one of the possible ways. */
  readonly numbers: number
  readonly dates: number
  readonly decimalSign: Decision<DecimalSign>
  readonly dateFormat: Decision<DateFormat>
  readonly booleans: BooleanWords | undefined
  /** Long numbers that a spreadsheet has shortened, and numbers of more digits than it keeps. */
  readonly shortened: { readonly count: number; readonly example?: Example }
  /** At least one cell has zeros before other digits: as a number it would lose them. */
  readonly leadingZeros: boolean
}

export interface ColumnEvidence {
  add(row: number, cell: SourceCell): void
  findings(): ColumnFindings
}

/** More different words than this are not yes and no. */
const MOST_WORDS = 2

export function columnEvidence(): ColumnEvidence {
  let [filled, empty, longest, shortened] = [0, 0, 0, 0]
  let leadingZeros = false
  let firstShortened: Example | undefined
  const words = new Set<string>()
  const signs = readings<DecimalSign>()
  const formats = readings<DateFormat>()
  const addText = (row: number, text: string) => {
    if (isShortened(text)) {
      shortened++
      firstShortened ??= { row, text }
      return
    }
    const sign = decimalSignOf(text)
    if (sign !== undefined)
      signs.add({ row, text }, sign === 'none' ? undefined : sign === 'either' ? BOTH : [sign])
    leadingZeros ||= /^0\d/.test(text)
    const possible = /\d/.test(text) ? dateFormatsOf(text) : []
    if (possible.length > 0) formats.add({ row, text }, possible)
  }
  return {
    add(row, cell) {
      const text = cell === null ? '' : (typeof cell === 'string' ? cell : (cell.shown ?? cell.text)).trim()
      if (text === '') {
        empty++
        return
      }
      filled++
      longest = Math.max(longest, text.length)
      if (words.size <= MOST_WORDS) words.add(text.toLowerCase())
      if (typeof cell === 'string') addText(row, text)
      else if (cell?.kind === 'number') {
        // Its text is canonical: it says nothing about how text in the column is written.
        signs.add({ row, text }, undefined)
        leadingZeros ||= /^0\d/.test(text)
        if (cell.wrong === undefined) return
        shortened++
        firstShortened ??= { row, text }
      } else if (cell?.kind === 'date' || cell?.kind === 'timestamp') formats.add({ row, text }, undefined)
    },
    findings: () => ({
      filled,
      empty,
      longest,
      numbers: signs.count(),
      dates: formats.count(),
      decimalSign: signs.decision(),
      dateFormat: formats.decision(),
      booleans: words.size <= MOST_WORDS ? booleanWords(words) : undefined,
      shortened: { count: shortened, ...(firstShortened && { example: firstShortened }) },
      leadingZeros,
    }),
  }
}

const BOTH: readonly DecimalSign[] = ['.', ',']

interface Readings<Reading> {
  /** A cell that can be read in these ways; undefined: in any. */
  add(example: Example, possible: readonly Reading[] | undefined): void
  count(): number
  decision(): Decision<Reading>
}

/** Keeps which readings all cells allow, and which cell has ruled out the last of the others. */
function readings<Reading>(): Readings<Reading> {
  let left: readonly Reading[] | undefined
  let all: ReadonlySet<Reading> = new Set()
  let example: Example | undefined
  let count = 0
  return {
    add(cell, possible) {
      count++
      if (!possible) return
      const before = left
      left = before ? before.filter((reading) => possible.includes(reading)) : possible
      all = all.size === 0 ? new Set(possible) : new Set([...all, ...possible])
      if (before?.length !== left.length && (before?.length !== 0 || !before)) example = cell
    },
    count: () => count,
    decision() {
      if (!left || !example) return { none: true }
      if (left.length === 1) return { decided: left[0]!, by: example }
      return { ask: left.length > 0 ? left : [...all], example }
    },
  }
}
