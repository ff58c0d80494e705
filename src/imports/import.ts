/** An import as code sees it: the fields of its record by what they hold. */
import type { Company } from '../domain/events/event.ts'
import type { Fields } from '../domain/json.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { Notice } from './formats/reader.ts'
import type { FileFormat } from './formats/sniff.ts'
import type { BankFile } from './bank/bank-file.ts'
import type { Mapping } from './mapping/mapping.ts'
import type { ImportState } from './objects.ts'

export interface ImportedFile {
  readonly Name: string | null
  readonly Bytes: number
  readonly Type: FileFormat
}

/** What reading a file came to. */
export interface ReadFile {
  /** SHA-256 of the staged rows (`staging/staged-rows.ts`), and where in them their index begins. */
  readonly Staged: string
  readonly IndexAt: number
  readonly Rows: number
  readonly Columns: readonly string[]
  readonly Sheet: string | null
  readonly HiddenSheets: readonly string[]
  readonly Notices: readonly Notice[]
}

/** Something that only a person can decide. */
export interface Question {
  readonly Field: string | null
  readonly Column: string | null
  readonly Question: string
}

export interface Checked {
  readonly WouldCreate: number
  readonly WouldUpdate: number
  readonly Unchanged: number
  readonly Skipped: number
  readonly WouldFail: number
  readonly WouldUndo?: number
  readonly WouldKeep?: number
  /** SHA-256 of the rows that would fail (`run/check-report.ts`). */
  readonly Report: string
  /** Hash of the definition that judged them: after a change they are judged again. */
  readonly Definition: string
}

export interface CommitOptions {
  /** `nothing`: nothing is begun when a row would fail; `stop`: the first chunk with a refused row is the last. */
  readonly OnError: 'continue' | 'stop' | 'nothing'
  /** More refused rows than this end it. */
  readonly MaxErrors: number | null
  /** To be committed as soon as it is checked. */
  readonly Commit: boolean
  readonly Conflicts: 'keep' | 'fields' | 'force'
}

export interface Counts {
  readonly Created: number
  readonly Updated: number
  readonly Unchanged: number
  readonly Skipped: number
  readonly Failed: number
  /** Of an undo: taken back, and left because others have changed the record since. */
  readonly Undone: number
  readonly Kept: number
}

/** `bank`: of a bank file, whose rows are lines of statements. */
export type ImportKind = 'file' | 'bank' | 'undo'

export interface Import {
  readonly key: string
  readonly company: Company
  readonly version: number
  readonly kind: ImportKind
  readonly object: string
  readonly state: ImportState
  readonly file: ImportedFile | undefined
  readonly sha256: string | undefined
  readonly read: ReadFile | undefined
  readonly mapping: Mapping | undefined
  readonly bank: BankFile | undefined
  readonly questions: readonly Question[]
  readonly check: Checked | undefined
  readonly options: CommitOptions
  readonly runs: number
  readonly counts: Counts | undefined
  /** In ms since 1970. */
  readonly committedAt: number | undefined
  readonly isCancelling: boolean
  readonly by: string
  readonly person: string
  readonly corrects: string | undefined
  readonly undoes: string | undefined
  /** All fields, as they are stored. */
  readonly fields: Fields
}

export const NO_COUNTS: Counts = {
  Created: 0,
  Updated: 0,
  Unchanged: 0,
  Skipped: 0,
  Failed: 0,
  Undone: 0,
  Kept: 0,
}

export const DEFAULT_OPTIONS: CommitOptions = {
  OnError: 'continue',
  MaxErrors: null,
  Commit: false,
  Conflicts: 'keep',
}

/** The import of that state; undefined when there is none. */
export function importOf(company: Company, key: string, state: RecordState): Import | undefined {
  if (state.status !== 'live') return undefined
  const { fields, version } = state
  const as = <T>(name: string) => (fields[name] ?? undefined) as T | undefined
  const committedAt = as<string>('CommittedAt')
  return {
    key,
    company,
    version,
    kind: as<ImportKind>('Kind') ?? 'file',
    object: as<string>('Object')!,
    state: as<ImportState>('State')!,
    file: as<ImportedFile>('File'),
    sha256: as<string>('Sha256'),
    read: as<ReadFile>('Read'),
    mapping: as<Mapping>('Mapping'),
    bank: as<BankFile>('Bank'),
    questions: as<readonly Question[]>('Questions') ?? [],
    check: as<Checked>('Check'),
    options: { ...DEFAULT_OPTIONS, ...as<CommitOptions>('Options') },
    runs: as<number>('Runs') ?? 0,
    counts: countsIn(as<Partial<Counts>>('Counts')),
    committedAt: committedAt === undefined ? undefined : Date.parse(committedAt),
    isCancelling: as<boolean>('IsCancelling') ?? false,
    by: as<string>('By')!,
    person: as<string>('Person') ?? as<string>('By')!,
    corrects: as<string>('Corrects'),
    undoes: as<string>('Undoes'),
    fields,
  }
}

const countsIn = (stored: Partial<Counts> | undefined): Counts | undefined =>
  stored && { ...NO_COUNTS, ...stored }

/** Whether it is committed as soon as it is checked. */
export const commitsItself = ({ check, options }: Pick<Import, 'check' | 'options'>): boolean =>
  options.Commit && !(options.OnError === 'nothing' && (check?.WouldFail ?? 0) > 0)

/** Whether the service has something to do by itself. */
export const isUnderWay = (whole: Pick<Import, 'state' | 'check' | 'options'>): boolean =>
  ['Reading', 'Running', 'Undoing'].includes(whole.state) ||
  (whole.state === 'Checked' && commitsItself(whole))
