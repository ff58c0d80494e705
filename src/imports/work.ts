/** What working on imports needs of the rest of the service. */
import type { Caller } from '../commands/command.ts'
import type { KeyedLocks } from '../commands/support/keyed-locks.ts'
import type { UniqueClaims } from '../commands/support/unique-claims.ts'
import type { WriteRecords } from '../commands/write-records.ts'
import type { Definitions } from '../domain/definition.ts'
import type { Company } from '../domain/events/event.ts'
import type { Fields } from '../domain/json.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Files } from '../ports/files.ts'
import type { ReadModels } from '../ports/read-models.ts'
import type { Access } from '../rights/access.ts'
import type { Content, ContentClaims } from './content-claims.ts'
import { importOf, type Import } from './import.ts'
import { importDefinition } from './objects.ts'
import type { ChunkLog } from './run/chunk-events.ts'
import type { Pace } from './run/run-rows.ts'
import type { SignsOfLife } from './signs-of-life.ts'
import type { StagedFile, StageFile } from './staging/staged-file.ts'
import type { ReadOptions } from './formats/reader.ts'

export interface ImportWork {
  /** The objects that can be imported into, and those that they look up. */
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'append' | 'last' | 'read' | 'head'>
  readonly readModels: ReadModels
  readonly files: Files
  readonly write: WriteRecords
  readonly load: (company: Company, key: string) => Promise<RecordState>
  readonly ownerOf: UniqueClaims['ownerOf']
  readonly claims: ContentClaims
  readonly chunks: ChunkLog
  readonly signs: SignsOfLife
  readonly clock: Clock
  readonly newCommand: () => string
  /** What a user or token may do now; undefined: nothing any more. */
  readonly accessOf: (company: Company, actor: string) => Promise<Access | undefined>
  /** Reads a file in a thread of its own. */
  readonly stage: (job: Omit<StageFile, 'limits'>) => Promise<StagedFile>
  /** A new folder for what is read; its user removes it. */
  readonly scratch: () => Promise<string>
  readonly maxBytes: number
  readonly pace: () => Pace
  /** Holds a bank account while its lines are matched. */
  readonly turns: Pick<KeyedLocks, 'holding'>
  readonly onTrouble: (message: string, error: unknown) => void
}

export type Loading = Pick<ImportWork, 'load'>

export async function loadImport(
  { load }: Loading,
  company: Company,
  key: string,
): Promise<Import | undefined> {
  return importOf(company, key, await load(company, key))
}

/** The import's own principal; what it may do is asked for where it matters. */
export function callerOf({ newCommand }: Pick<ImportWork, 'newCommand'>, whole: Import): Caller {
  const { company, by, person, key } = whole
  return {
    company,
    actor: by,
    person,
    correlation: newCommand(),
    command: newCommand(),
    source: 'system',
    causation: key,
  }
}

/** How what its rows do is announced. */
export const quietOf = ({ mapping }: Pick<Import, 'mapping'>): Pick<Caller, 'quiet'> =>
  mapping?.Notify === 'summary' ? { quiet: true } : {}

/**
 * Changes the import, unless another has changed it since it was loaded.
 * @throws PreconditionFailed then
 */
export async function changeImport(
  work: ImportWork,
  whole: Import,
  body: Fields,
  caller = callerOf(work, whole),
): Promise<Import> {
  const { key, company, version } = whole
  const change = { definition: importDefinition, key, expected: [version], body, writing: 'replace' as const }
  const { state } = await work.write.update({ ...caller, grant: undefined, reads: undefined }, change)
  return importOf(company, key, state)!
}

/** Options of a reader from those of a mapping. */
export function readOptionsOf(whole: Pick<Import, 'mapping'>): ReadOptions {
  const file = whole.mapping?.File ?? {}
  return {
    ...(file.Sheet !== undefined && { sheet: file.Sheet }),
    ...(file.HeaderRow !== undefined && { headerRow: file.HeaderRow }),
    ...(file.SkipAfterHeader !== undefined && { skipAfterHeader: file.SkipAfterHeader }),
    ...(file.StopAtEmptyRows !== undefined && { stopAtEmptyRows: file.StopAtEmptyRows }),
    ...(file.SkipRowsWhere && {
      skipRowsWhere: { column: file.SkipRowsWhere.Column, equals: file.SkipRowsWhere.Equals },
    }),
    ...(file.Delimiter !== undefined && { delimiter: file.Delimiter }),
    ...(file.Quote !== undefined && { quote: file.Quote }),
    ...(file.Encoding !== undefined && { encoding: file.Encoding }),
    ...(file.FillMerged !== undefined && { fillMerged: file.FillMerged }),
  }
}

/** What the import has claimed, if it is of a file. */
export function contentOf({ object, sha256, fields }: Import): Content | undefined {
  const profile = fields['Profile']
  return sha256 === undefined
    ? undefined
    : { object, sha256, profile: typeof profile === 'string' ? profile : undefined }
}

/** Gives the content back: it may be imported again. */
export async function releaseContent(work: ImportWork, whole: Import): Promise<void> {
  const content = contentOf(whole)
  if (content) await work.claims.release(callerOf(work, whole), content, whole.key)
}
