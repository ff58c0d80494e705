/**
 * Rows as they were read, kept so that a file is read once: a line of JSON for each, and last where every 500th row begins, with
 * what the columns are by all of their cells. Check, commit, error files, retries and undo work from here.
 */
import type { Company } from '../../domain/events/event.ts'
import { NotFound } from '../../domain/errors.ts'
import type { Files } from '../../ports/files.ts'
import type { SourceCell, SourceRow } from '../formats/reader.ts'
import type { ColumnFindings } from '../values/column-evidence.ts'
import type { ReadFile } from '../import.ts'

/** Rows of one chunk: what is committed together. Stored imports count by it: it never changes. */
export const CHUNK_ROWS = 500

export interface StagedRow {
  /** As a spreadsheet shows it. */
  readonly number: number
  readonly cells: readonly SourceCell[]
  /** Why the row cannot be read. */
  readonly wrong?: string
}

interface Footer {
  readonly index: readonly number[]
  /** By the places of the columns. */
  readonly findings: readonly ColumnFindings[]
}

type Line = readonly [number: number, cells: readonly SourceCell[], wrong?: string]

export interface StagedWriter {
  /** The bytes to write for a row. */
  row(row: SourceRow): string
  /** To be written last, and where it begins. */
  end(findings: readonly ColumnFindings[]): {
    readonly text: string
    readonly indexAt: number
    readonly rows: number
  }
}

export function stagedWriter(): StagedWriter {
  const index: number[] = []
  let at = 0
  let rows = 0
  return {
    row({ number, cells, wrong }) {
      if (rows++ % CHUNK_ROWS === 0) index.push(at)
      const line: Line = wrong === undefined ? [number, cells] : [number, cells, wrong]
      const text = `${JSON.stringify(line)}\n`
      at += Buffer.byteLength(text)
      return text
    },
    end: (findings) => ({
      text: `${JSON.stringify({ index, findings } satisfies Footer)}\n`,
      indexAt: at,
      rows,
    }),
  }
}

export interface StagedRows {
  readonly chunks: number
  /** What the columns are, by their places. */
  readonly findings: readonly ColumnFindings[]
  /** The rows of a chunk, counted from 0, in the order of the file. @throws Error when they are not kept any more */
  chunk(number: number): Promise<readonly StagedRow[]>
}

export async function openStaged(
  files: Pick<Files, 'open'>,
  company: Company,
  read: ReadFile,
): Promise<StagedRows> {
  const { Staged, IndexAt } = read
  const textFrom = async (start: number, end?: number) => {
    const bytes = await files.open(company, Staged, { start, ...(end !== undefined && { end }) })
    if (!bytes) throw new RowsGone()
    const parts: Uint8Array[] = []
    for await (const part of bytes) parts.push(part)
    return Buffer.concat(parts).toString('utf8')
  }
  const { index, findings } = JSON.parse(await textFrom(IndexAt)) as Footer
  return {
    chunks: index.length,
    findings,
    async chunk(number) {
      const text = await textFrom(index[number]!, index[number + 1] ?? IndexAt)
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => {
          const [row, cells, wrong] = JSON.parse(line) as Line
          return { number: row, cells, ...(wrong !== undefined && { wrong }) }
        })
    },
  }
}

/** The rows of an import are not kept for ever. */
export class RowsGone extends NotFound {
  constructor() {
    super('the rows of this import are not kept any more')
  }
}
