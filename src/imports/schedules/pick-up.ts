/**
 * One run of a schedule: files that are whole are taken, each as an import, in their order. What was taken is known by its
 * content: moving files away afterwards is for people, and where it fails nothing is taken again.
 */
import type { Caller } from '../../commands/command.ts'
import { Invalid, NotFound, Refused, Unavailable } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import type { KeptFile } from '../../ports/files.ts'
import type { FileSource, SourceFile } from '../../ports/sources/file-source.ts'
import { isUnderWay, type CommitOptions, type Import } from '../import.ts'
import { BANK_STATEMENT } from '../bank/run/statement-plan.ts'
import { SameContent, type Received } from '../received.ts'
import { findProfile, type Profile } from '../profiles/profiles.ts'
import type { ImportWork } from '../work.ts'
import { HostKeyRefused } from '../../ports/sources/host-key-refused.ts'
import { isMeant, scheduleOf, type Schedule } from './schedule.ts'
import { doneFilesOf, sameFile, versionOf, wholeFiles, type FirstSeen } from './whole-files.ts'

/** What `imports.ts` does with files. */
export interface ReceiveFiles {
  keep(company: Company, bytes: AsyncIterable<Uint8Array>): Promise<KeptFile>
  /** @throws SameContent naming the import that had it */
  receive(caller: Caller, received: Received): Promise<Pick<Written, 'key'>>
  /** @throws NotFound */
  find(company: Company, key: string): Promise<Import>
}

export interface PickUpOptions {
  readonly work: ImportWork
  readonly imports: ReceiveFiles
  /** Of a schedule, as it is stored. @throws Unavailable when it is not there now, or not the company's */
  readonly sourceOf: (company: Company, fields: Fields) => Promise<FileSource>
  /** Waits so many ms; rejects when the process stops. */
  readonly wait: (ms: number) => Promise<void>
}

export interface PickUp {
  readonly Found: number
  /** Keys of imports. */
  readonly Taken: readonly string[]
  /** Files that were taken before, or that others are still writing. */
  readonly Left: number
  /** Files that were taken and not imported in full. */
  readonly Refused: number
  /** The source could be looked at. */
  readonly IsReached: boolean
  readonly Troubles: readonly { readonly File: string | null; readonly Message: string }[]
}

const MOST_TROUBLES = 20
/** How long an import is waited for before the next file, and how often it is looked at. */
const LONGEST_IMPORT_MS = 30 * 60_000
const LOOK_MS = 500

const COMMIT: Readonly<Record<Schedule['Commit'], Partial<CommitOptions>>> = {
  whenNoErrors: { Commit: true, OnError: 'nothing' },
  always: { Commit: true, OnError: 'continue' },
  never: { Commit: false },
}

/** Of files that lie where they were. Lost with the process: what was taken is found again by its content. */
export interface SeenFiles {
  /** Which import has them. */
  readonly taken: Map<string, string>
  readonly first: FirstSeen
}

/** @param fields of the schedule, as they are stored */
export async function pickUp(
  options: PickUpOptions,
  company: Company,
  key: string,
  fields: Fields,
  seen: SeenFiles,
): Promise<PickUp> {
  const schedule = scheduleOf(fields)
  const troubles: { File: string | null; Message: string }[] = []
  const taken: string[] = []
  const say = (File: string | null, error: unknown) => {
    if (!(error instanceof Refused)) options.work.onTrouble(`${key}: a file cannot be picked up`, error)
    const Message = error instanceof Refused ? error.message : 'something is wrong; the log says what'
    if (troubles.length < MOST_TROUBLES) troubles.push({ File, Message })
  }
  let [found, refused, isReached] = [0, 0, false]
  try {
    const source = await options.sourceOf(company, fields)
    try {
      const profile = await profileOf(options.work, company, schedule)
      const { elapsed } = options.work.clock
      const files = await wholeFiles({ ...options, schedule, source, firstSeen: seen.first, elapsed })
      isReached = true
      found = files.found
      for (const file of files.whole) {
        try {
          const taking = { ...options, company, key, schedule, source, profile, seen: seen.taken, say }
          const of = await takeFile(taking, file)
          if (of.isNew) taken.push(of.import)
          if (of.isNew && of.isRefused) refused++
        } catch (error) {
          refused++
          say(file.name, error)
        }
      }
    } finally {
      await source.close()
    }
  } catch (error) {
    say(null, error)
  }
  const Left = found - taken.length
  return { Found: found, Taken: taken, Left, Refused: refused, IsReached: isReached, Troubles: troubles }
}

/** Bank files are read as what they are; a profile says of CSV and workbooks which bank they are of. */
const profileOf = async (work: ImportWork, company: Company, { Profile, Object: object }: Schedule) =>
  Profile === null ? undefined : findProfile(work, company, Profile, object)

interface Taking extends PickUpOptions {
  readonly company: Company
  readonly key: string
  readonly schedule: Schedule
  readonly source: FileSource
  readonly profile: Profile | undefined
  readonly seen: Map<string, string>
  /** Says what went wrong and stops nothing. */
  readonly say: (file: string, error: unknown) => void
}

async function takeFile(taking: Taking, file: SourceFile) {
  const { source, seen, schedule, say } = taking
  const place = versionOf(file)
  const known = seen.get(place)
  const of = known === undefined ? await received(taking, file) : { import: known, isNew: false }
  seen.set(place, of.import)
  const whole = await settled(taking, of.import)
  const folder = whole && folderFor(schedule, whole)
  if (typeof folder === 'string' && sameFile(file, await source.stat(file.name)))
    try {
      await moveAway(taking, file, folder, whole!)
      seen.delete(place)
    } catch (error) {
      // It stays where it is, and is moved at another look; its content is known.
      say(
        file.name,
        new Unavailable(`it was imported, and cannot be moved to ${folder}: ${(error as Error).message}`),
      )
    }
  return { ...of, isRefused: whole !== undefined && !['Completed', 'Checked'].includes(whole.state) }
}

/** With the file that says that it is whole, where that is of this file alone. */
async function moveAway({ source, schedule, work }: Taking, file: SourceFile, folder: string, whole: Import) {
  const now = work.clock.now()
  await source.move(file.name, folder, movedName(file.name, whole, now))
  if (schedule.DoneFile?.includes('*') !== true) return
  for (const marker of doneFilesOf(schedule, file.name))
    if (await source.stat(marker)) await source.move(marker, folder, movedName(marker, whole, now))
}

/** @throws Invalid when it was changed while it was read: nothing is taken then */
async function received(taking: Taking, file: SourceFile) {
  const { work, imports, company, key, schedule, source, profile } = taking
  const kept = await imports.keep(company, source.open(file.name))
  if (!sameFile(file, await source.stat(file.name)) || kept.bytes !== file.bytes)
    throw new Invalid('the file was changed while it was read; it is looked at again')
  if (kept.bytes === 0) throw new Invalid('the file is empty')
  const command = work.newCommand()
  const caller: Caller = {
    company,
    actor: key,
    correlation: command,
    command,
    source: 'system',
    causation: key,
  }
  try {
    const written = await imports.receive(caller, {
      definition: work.definitions.get(schedule.Object)!,
      file: kept,
      name: file.name,
      ...mappingBy(schedule, profile),
      options: COMMIT[schedule.Commit],
      again: false,
      schedule: key,
    })
    return { import: written.key, isNew: true }
  } catch (error) {
    if (error instanceof SameContent) return { import: error.importKey, isNew: false }
    throw error
  }
}

const mappingBy = (
  { Object: object }: Schedule,
  profile: Profile | undefined,
): Pick<Received, 'mapping' | 'bank' | 'profile'> =>
  object === BANK_STATEMENT
    ? { mapping: {}, ...(profile && { bank: { Profile: profile.key } }) }
    : { mapping: profile?.mapping ?? {}, profile: profile?.key }

/** The import once it has ended, or waits for somebody; undefined when that takes too long. */
async function settled({ work, imports, company, wait }: Taking, key: string): Promise<Import | undefined> {
  const until = work.clock.elapsed() + LONGEST_IMPORT_MS
  while (work.clock.elapsed() < until) {
    const whole = await imports.find(company, key).catch((error: unknown) => {
      if (error instanceof NotFound) return undefined
      throw error
    })
    if (!whole || !isUnderWay(whole)) return whole
    await wait(LOOK_MS)
  }
  return undefined
}

/** Null: it stays. What waits for somebody stays until that is decided. */
function folderFor({ After }: Schedule, { state, options, check }: Import): string | null {
  if (state === 'Completed') return After.Done
  const isRefused = state === 'Checked' && options.Commit && (check?.WouldFail ?? 0) > 0
  return isRefused || ['CompletedWithErrors', 'Failed', 'Cancelled'].includes(state) ? After.Failed : null
}

/** A name that is not taken: with the moment and the beginning of the content's hash. */
function movedName(name: string, { sha256 = '' }: Import, now: number): string {
  const stamp = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
  return `${name}.${stamp}.${sha256.slice(0, 8)}`
}

/** What a look would find: for people who set a schedule up. */
export async function lookAt(
  { sourceOf }: Pick<PickUpOptions, 'sourceOf'>,
  company: Company,
  fields: Fields,
): Promise<Fields> {
  const schedule = scheduleOf(fields)
  try {
    const files = await filesIn(await sourceOf(company, fields))
    const shown = (meant: boolean) =>
      files
        .filter(({ name }) => isMeant(schedule, name) === meant)
        .slice(0, 100)
        .map(({ name, bytes }) => ({ Name: name, Bytes: bytes }))
    return { Takes: shown(true), PassesOver: shown(false) }
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    const HostKey = error instanceof HostKeyRefused ? { HostKey: error.presented } : {}
    return { Takes: [], PassesOver: [], Message: error.message, ...HostKey }
  }
}

async function filesIn(source: FileSource): Promise<readonly SourceFile[]> {
  try {
    return await source.list()
  } finally {
    await source.close()
  }
}
