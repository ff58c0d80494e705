/**
 * What every reader of an imported file promises: rows as they are in the file, one after another, within limits.
 *
 * A reader decides nothing about fields: it passes on the cells as text, with what the file itself says about them.
 * Which field a column is for, and what `1.234` means, is decided later, over all rows.
 */

/** What files of rows are: bank statements have readers of their own (`imports/bank`). */
export type RowFormat = 'csv' | 'xlsx' | 'json' | 'ndjson'

/**
 * What a file says about a cell beyond its text. The text is then canonical: `-1234.5` of a number, `true` or `false`,
 * `2029-04-03`, `2029-04-03T09:30:00` (no zone: a workbook has none), `09:30:00`, `#N/A` of an error, JSON of an object
 * or a list.
 */
export type CellKind = 'number' | 'boolean' | 'date' | 'timestamp' | 'time' | 'error' | 'json'

/**
 * A cell with a type of its own. `shown` is how the file's own program shows it, where that differs and matters: `00123`
 * of the number 123 formatted `00000`. `wrong` says why its value cannot be relied on: a number of more digits than the
 * program keeps, a day that does not exist, a formula that was never calculated.
 */
export interface TypedCell {
  readonly kind: CellKind
  readonly text: string
  readonly shown?: string
  readonly wrong?: string
}

/** Text as it is in the file, a typed cell, or null: nothing is there. `''` is text that is empty. JSON as it stands. */
export type SourceCell = string | TypedCell | null

/** A row of the file. `number` is its place as a spreadsheet shows it, from 1, with the header and empty rows counted. */
export interface SourceRow {
  readonly number: number
  /** By the places of `columns`; shorter than it where the rest is empty. */
  readonly cells: readonly SourceCell[]
  /** Why the row as a whole cannot be relied on, whatever its cells are: the row fails. */
  readonly wrong?: string
}

/** Something worth knowing that does not stop the reading. */
export interface Notice {
  readonly code: NoticeCode
  readonly message: string
  readonly row?: number
}

export type NoticeCode =
  | 'encoding-assumed'
  | 'delimiter-assumed'
  | 'column-named'
  | 'column-repeated'
  | 'rows-hidden'
  | 'sheet-chosen'
  | 'merged-cells'
  | 'formulas'
  | 'ended-at-empty-rows'
  | 'apostrophes'
  | 'column-assigned'
  | 'nothing-in-it'
  | 'statement'

/**
 * What a reader yields: `file` first, and again when more is known of it; `columns` before the first row, and again, longer,
 * when a row has a column that is new.
 */
export type ReaderItem =
  | { readonly is: 'file'; readonly facts: FileFacts }
  | { readonly is: 'columns'; readonly columns: readonly string[]; readonly row: number }
  | { readonly is: 'row'; readonly row: SourceRow }
  | { readonly is: 'notice'; readonly notice: Notice }

/** How the file was read. What was detected is what `ReadOptions` would have to say to read it the same way again. */
export interface FileFacts {
  readonly format: RowFormat
  readonly encoding?: string
  readonly delimiter?: string
  readonly quote?: string
  readonly sheet?: string
  readonly sheets?: readonly { readonly name: string; readonly hidden: boolean }[]
}

/** What a profile may say about the file, there in PascalCase. */
export interface ReadOptions {
  /** Of a workbook: the sheet's name. The first visible one, when it is not given. */
  readonly sheet?: string
  /** The number of the header's row. The first row that is not empty, when it is not given; 0: there is no header. */
  readonly headerRow?: number
  /** Looks for the header, where other lines may stand before it. */
  readonly headerSearch?: HeaderSearch
  /** How many rows after the header are passed over. */
  readonly skipAfterHeader?: number
  /** So many empty rows in a row end the file. */
  readonly stopAtEmptyRows?: number
  /** Rows passed over because a column has one of these texts, blanks around them aside. */
  readonly skipRowsWhere?: { readonly column: string; readonly equals: readonly string[] }
  readonly delimiter?: string
  /** '' where nothing is quoted. */
  readonly quote?: string
  readonly encoding?: string
  /** Of a workbook: merged cells all have the value of the first. */
  readonly fillMerged?: boolean
}

export interface HeaderSearch {
  isHeader(cells: readonly string[]): boolean
  /** A row that is passed over, since the header has not come yet. */
  passed(cells: readonly string[]): void
}

/** Where the bytes are. A workbook is read from a file: from `path`, or from a copy that is made in `folder` and removed. */
export interface Source {
  readonly bytes: AsyncIterable<Uint8Array>
  readonly path?: string
  readonly folder: string
}

/** What is read at most; over it the file is refused. */
export interface ReadLimits {
  readonly bytes: number
  /** After inflation, of all that is inflated. */
  readonly inflated: number
  readonly rows: number
  readonly columns: number
  readonly cellCharacters: number
  /** Files in the archive of a workbook. */
  readonly entries: number
}

export const DEFAULT_LIMITS: ReadLimits = {
  bytes: 100 * 1024 * 1024,
  inflated: 2 * 1024 * 1024 * 1024,
  rows: 2_000_000,
  columns: 500,
  cellCharacters: 100_000,
  entries: 10_000,
}

/** Streams a file: memory does not grow with its rows. Throws `FileRefused`; what was yielded before stays as it was. */
export type Reader = (
  source: Source,
  options?: ReadOptions,
  limits?: ReadLimits,
) => AsyncGenerator<ReaderItem, void>

export type RefusalCode =
  | 'too-large'
  | 'too-many-rows'
  | 'too-many-columns'
  | 'cell-too-long'
  | 'inflates-too-far'
  | 'other-format'
  | 'encrypted'
  | 'damaged'
  | 'not-text'
  | 'unknown-encoding'
  | 'unknown-sheet'
  | 'unknown-delimiter'
  | 'no-header'
  | 'unknown-column'
  | 'doctype'
  | 'too-deep'
  | 'not-records'

const TOO_LARGE: ReadonlySet<RefusalCode> = new Set([
  'too-large',
  'too-many-rows',
  'too-many-columns',
  'cell-too-long',
  'inflates-too-far',
])

/** What an answer in the profile can put right: the file is good, and something about it cannot be decided from it. */
const ASKS: ReadonlySet<RefusalCode> = new Set([
  'unknown-encoding',
  'unknown-sheet',
  'unknown-delimiter',
  'unknown-column',
  'no-header',
])

/** The file is not taken. The message says what is wrong and what would be right; it contains no cell of the file. */
export class FileRefused extends Error {
  readonly code: RefusalCode
  /** Whether it is refused for its size (413) rather than for what it is (400). */
  readonly tooLarge: boolean
  /** Whether the same file is taken with other `ReadOptions`. */
  readonly asks: boolean
  constructor(code: RefusalCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FileRefused'
    this.code = code
    this.tooLarge = TOO_LARGE.has(code)
    this.asks = ASKS.has(code)
  }
}
