/** What is asked of the thread that reads a file, and what it answers. */
import type { BankJob, BankSurvey } from '../bank/staging/bank-job.ts'
import type { FileFacts, Notice, ReadLimits, ReadOptions } from '../formats/reader.ts'
import type { FileFormat } from '../formats/sniff.ts'

export interface StageFile {
  readonly path: string
  /** Where the staged rows go. */
  readonly target: string
  readonly options: ReadOptions
  /** Set for a bank file. */
  readonly bank?: BankJob
  readonly limits: Pick<ReadLimits, 'bytes' | 'inflated' | 'rows'>
}

export interface StagedFile {
  readonly format: FileFormat
  readonly rows: number
  readonly indexAt: number
  readonly columns: readonly string[]
  readonly facts: FileFacts | undefined
  readonly notices: readonly Notice[]
  /** Of a bank file. */
  readonly survey?: BankSurvey
}
