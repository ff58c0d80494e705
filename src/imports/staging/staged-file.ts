/** What is asked of the thread that reads a file, and what it answers. */
import type { FileFacts, Notice, ReadLimits, ReadOptions, RowFormat } from '../formats/reader.ts'

export interface StageFile {
  readonly path: string
  /** Where the staged rows go. */
  readonly target: string
  readonly options: ReadOptions
  readonly limits: Pick<ReadLimits, 'bytes' | 'inflated' | 'rows'>
}

export interface StagedFile {
  readonly format: RowFormat
  readonly rows: number
  readonly indexAt: number
  readonly columns: readonly string[]
  readonly facts: FileFacts | undefined
  readonly notices: readonly Notice[]
}
