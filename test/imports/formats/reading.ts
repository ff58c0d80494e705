/** What the tests of readers share: bytes in pieces, and what a reader makes of them. */
import { tmpdir } from 'node:os'
import {
  FileRefused,
  type Reader,
  type ReaderItem,
  type ReadLimits,
  type ReadOptions,
  type SourceRow,
} from '../../../src/imports/formats/reader.ts'

export async function* inPieces(bytes: Uint8Array, size = 65_536): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += size) yield bytes.subarray(i, i + size)
}

export interface Read {
  readonly columns: readonly string[]
  readonly rows: readonly SourceRow[]
  readonly cells: readonly SourceRow['cells'][]
  readonly notices: readonly string[]
  readonly facts: Extract<ReaderItem, { is: 'file' }>['facts']
}

export interface ReadingOf {
  readonly options?: ReadOptions
  readonly limits?: ReadLimits
  readonly piece?: number
}

/** Everything that the reader yields for the bytes. */
export async function readAll(
  reader: Reader,
  bytes: Uint8Array | string,
  { options, limits, piece }: ReadingOf = {},
): Promise<Read> {
  const items: ReaderItem[] = []
  const source = { bytes: inPieces(Buffer.from(bytes), piece), folder: tmpdir() }
  for await (const item of reader(source, options, limits)) items.push(item)
  const of = <Is extends ReaderItem['is']>(is: Is) =>
    items.filter((item): item is Extract<ReaderItem, { is: Is }> => item.is === is)
  const rows = of('row').map(({ row }) => row)
  return {
    columns: of('columns').at(-1)?.columns ?? [],
    rows,
    cells: rows.map(({ cells }) => cells),
    notices: of('notice').map(({ notice }) => notice.code),
    facts: of('file').at(-1)!.facts,
  }
}

/** The refusal that reading ends with. */
export async function refusalOf(reading: () => unknown): Promise<FileRefused> {
  try {
    await reading()
  } catch (error) {
    if (error instanceof FileRefused) return error
    throw error
  }
  throw new Error('it was not refused')
}
