/**
 * What separates the columns of a CSV file, by its first records: the character, outside quotes, that gives them all the
 * same number of columns. Where two do, or none does, the file asks.
 */
import { FileRefused } from './reader.ts'

export const DELIMITERS = [';', ',', '\t', '|'] as const
const MOST_RECORDS = 200
/** What part of the records must have the same number of columns, where no other character comes close. */
const NEARLY_ALL = 0.9

export interface Separation {
  readonly delimiter: string
  readonly quote: string
  /** Whether it is the best of several rather than the only possible one. */
  readonly assumed: boolean
}

/**
 * The separation of a text by its beginning. `whole` says whether `sample` is the whole text: otherwise its last record is
 * not counted. Throws `FileRefused` (`unknown-delimiter`).
 */
export function separationOf(sample: string, whole: boolean, quote = quoteOf(sample)): Separation {
  const tried = DELIMITERS.map((delimiter) => ({
    delimiter,
    ...regularity(columnCounts(sample, delimiter, quote, whole)),
  })).filter(({ columns }) => columns > 1)
  if (tried.length === 0) return { delimiter: ',', quote, assumed: false }
  const regular = tried.filter(({ share }) => share === 1).sort((a, b) => b.columns - a.columns)
  const [best, second] = regular
  if (best && best.columns !== second?.columns)
    return { delimiter: best.delimiter, quote, assumed: second !== undefined }
  const near = tried.filter(({ share }) => share >= NEARLY_ALL)
  if (regular.length === 0 && near.length === 1 && tried.every((one) => one === near[0] || one.share < 0.5))
    return { delimiter: near[0]!.delimiter, quote, assumed: true }
  throw new FileRefused(
    'unknown-delimiter',
    'The columns may be separated by several characters, or the rows have different numbers of columns: name the Delimiter, and the row of the header where there is text before it.',
  )
}

/** `'` where there is no `"` and most cells are in single quotes. */
function quoteOf(sample: string): string {
  if (sample.includes('"')) return '"'
  const cells = sample.split(/[;,\t|\r\n]+/).filter((cell) => cell !== '')
  const quoted = cells.filter((cell) => /^'.*'$/.test(cell)).length
  return quoted > cells.length / 2 ? "'" : '"'
}

/** How many columns each record has that is not empty. */
function columnCounts(text: string, delimiter: string, quote: string, whole: boolean): number[] {
  const counts: number[] = []
  let columns = 1
  let quoted = false
  let empty = true
  const end = () => {
    if (!empty) counts.push(columns)
    columns = 1
    empty = true
  }
  for (let i = 0; i < text.length && counts.length < MOST_RECORDS; i++) {
    const char = text[i]!
    if (char === quote) quoted = !quoted
    else if (quoted) continue
    else if (char === '\n' || char === '\r') end()
    else if (char === delimiter) columns++
    if (char !== '\n' && char !== '\r') empty = false
  }
  if (whole && counts.length < MOST_RECORDS) end()
  return counts
}

/** The most frequent number of columns, and what part of the records has it from the first one on that does. */
function regularity(counts: readonly number[]): { columns: number; share: number } {
  const frequencies = new Map<number, number>()
  for (const count of counts) frequencies.set(count, (frequencies.get(count) ?? 0) + 1)
  const [columns = 1, frequency = 0] = [...frequencies].sort((a, b) => b[1] - a[1])[0] ?? []
  if (frequency === 1 && counts.length > 1) return { columns: Math.max(...counts), share: 0 }
  const table = counts.slice(counts.indexOf(columns))
  return { columns, share: table.filter((count) => count === columns).length / Math.max(1, table.length) }
}
