/** Which files of a source are whole: none is taken while somebody still writes it. */
import type { FileSource, SourceFile } from '../../ports/sources/file-source.ts'
import { isMeant, type Schedule } from './schedule.ts'

/** When versions of files were first seen, in ms that have passed; by what they are. Lost with the process: they then wait once more. */
export type FirstSeen = Map<string, number>

export interface WholeFiles {
  readonly schedule: Schedule
  readonly source: FileSource
  /** Of this schedule; what is not there any more is forgotten. */
  readonly firstSeen: FirstSeen
  readonly elapsed: () => number
  /** Waits so many ms; rejects when the process stops. */
  readonly wait: (ms: number) => Promise<void>
}

/** Those that are meant, were the same at two looks, are old enough, and have the file that says so. */
export async function wholeFiles({ schedule, source, firstSeen, elapsed, wait }: WholeFiles) {
  const meant = async () => {
    const all = await source.list()
    const names = new Set(all.map(({ name }) => name))
    return { files: all.filter(({ name }) => isMeant(schedule, name)), names }
  }
  const { files: first } = await meant()
  remember(firstSeen, first, elapsed())
  if (first.length === 0) return { found: 0, whole: [] }
  await wait(schedule.StableSeconds * 1_000)
  const { files, names } = await meant()
  const later = new Map(files.map((file) => [file.name, file]))
  const now = elapsed()
  const isOld = (file: SourceFile) => now - firstSeen.get(versionOf(file))! >= schedule.MinAgeSeconds * 1_000
  const isDone = ({ name }: SourceFile) => {
    const markers = doneFilesOf(schedule, name)
    return markers.length === 0 || markers.some((marker) => names.has(marker))
  }
  const whole = first
    .filter((file) => sameFile(file, later.get(file.name)) && isOld(file) && isDone(file))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .slice(0, schedule.MostFiles)
  return { found: first.length, whole }
}

export const sameFile = (one: SourceFile, other: SourceFile | undefined): boolean =>
  other !== undefined && one.name === other.name && versionOf(one) === versionOf(other)

/** By what a file differs from another, and from what it was before. */
export const versionOf = ({ name, bytes, modified, identity }: SourceFile): string =>
  JSON.stringify([name, bytes, modified, identity])

/** Files that say that this one is whole: by its name, or by its name without the ending. None: nothing has to say so. */
export function doneFilesOf({ DoneFile }: Pick<Schedule, 'DoneFile'>, name: string): readonly string[] {
  if (DoneFile === null) return []
  if (!DoneFile.includes('*')) return [DoneFile]
  const stem = name.replace(/(?<=.)\.[^.]*$/, '')
  return [name, stem].map((of) => DoneFile.replace('*', () => of))
}

function remember(firstSeen: FirstSeen, files: readonly SourceFile[], now: number): void {
  const there = new Set(files.map(versionOf))
  for (const known of firstSeen.keys()) if (!there.has(known)) firstSeen.delete(known)
  for (const version of there) if (!firstSeen.has(version)) firstSeen.set(version, now)
}
