/** Finds out what has happened to the files of a WebDAV server, as items for the inbox. */
import { hash } from 'node:crypto'
import { timestampOf } from '../../domain/fields/dates.ts'
import type { Json } from '../../domain/json.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Called, FilledRequest } from '../calls/call.ts'
import { FOR_PERSON_MS, Later } from '../calls/later.ts'
import type { Polled } from '../definition/poll-schema.ts'
import type { Integration } from '../integration.ts'
import { compareFiles, type Compared, type FileChange, type Kept } from './file-list.ts'
import { partOf, type KeptLists, type KeptPart, type ListName } from './kept-lists.ts'
import { walkFolders, type FileThere } from './walk.ts'

export interface PollFiles {
  readonly integration: Pick<Integration, 'company' | 'key'>
  readonly poll: Pick<Polled, 'name' | 'skip'>
  readonly top: FilledRequest
  /** All files are taken over once more, and what is missing is gone. */
  readonly isFull: boolean
  readonly ask: (request: FilledRequest) => Promise<Called>
  /** Keeps items in the inbox. */
  readonly keep: (items: readonly Json[]) => Promise<void>
}

/** So many may go at once, and not more than half of all: else a server that has lost a disk would archive all documents. */
const MOST_GONE = 50
const KEEP_AT_ONCE = 500

/** How many items came. @throws Later; Unavailable */
export async function pollFiles(
  work: { readonly lists: KeptLists; readonly clock: Pick<Clock, 'now'> },
  { integration, poll, top, isFull, ask, keep }: PollFiles,
): Promise<number> {
  const name = { company: integration.company, integration: integration.key, poll: poll.name }
  const seenAt = timestampOf(work.clock.now())
  const { files, unread } = await walkFolders({ top, ask, skip: poll.skip ?? [] })
  const parts = await work.lists.load(name)
  const before = new Map(parts.flatMap((part) => [...part.files]))
  const compared = compareFiles(before, files, {
    idOf: (text) => hash('sha256', `${integration.key} ${text}`, 'base64url').slice(0, 22),
    isUnread: (path) => unread.some((folder) => path.startsWith(folder)),
    isFinal: isFull,
  })
  if (!isFull) refuseMassLoss(before, compared)
  const seenOf = ({ id, seen }: FileChange<FileThere>) => seen ?? parts[partOf(id)]!.version + 1
  const changes = changesToTell(compared, isFull)
  const items = changes.map((change) =>
    itemOf(change, { seenAt, seen: seenOf(change), was: before.get(change.id) }),
  )
  // Noted before it is sent: whatever a process that dies has kept in the inbox, the next one compares with it.
  const uncertain = new Map(compared.kept)
  for (const change of compared.changes) {
    const { isBack } = change
    uncertain.set(change.id, { ...uncertain.get(change.id)!, uncertain: { seen: seenOf(change), isBack } })
  }
  const noted = await storeParts(work, name, parts, uncertain)
  for (let from = 0; from < items.length; from += KEEP_AT_ONCE)
    await keep(items.slice(from, from + KEEP_AT_ONCE))
  const certain = compared.changes.map(({ id }) => [id, compared.kept.get(id)!] as const)
  await storeParts(work, name, noted, new Map(certain))
  return items.length
}

function changesToTell(
  { changes, there }: Compared<FileThere>,
  isFull: boolean,
): readonly FileChange<FileThere>[] {
  if (!isFull) return changes
  const changed = new Set(changes.map(({ id }) => id))
  const rest = there.filter(({ id }) => !changed.has(id))
  return [...changes, ...rest.map(({ id, file }) => ({ id, file, isBack: false }))]
}

function refuseMassLoss(before: ReadonlyMap<string, Kept>, { changes }: Compared<FileThere>): void {
  const all = [...before.values()].filter(({ presence }) => presence !== 'gone').length
  const gone = changes.filter(({ file }) => file === undefined).length
  if (gone <= MOST_GONE || gone * 2 <= all) return
  const message = `${gone} of ${all} files are not there any more: if that is right, have it synchronised in full`
  throw new Later(message, FOR_PERSON_MS, true)
}

function itemOf(
  { id, file, isBack }: FileChange<FileThere>,
  { seenAt, seen, was }: { readonly seenAt: string; readonly seen: number; readonly was: Kept | undefined },
): Json {
  const path = file?.path ?? was?.path ?? ''
  return {
    id,
    path,
    folder: path.includes('/') ? path.slice(0, path.indexOf('/')) : null,
    name: path.slice(path.lastIndexOf('/') + 1),
    seen,
    seenAt,
    ...(file && { etag: file.tag, url: file.url }),
    ...(file?.size !== undefined && { size: file.size }),
    ...(file?.type !== undefined && { type: file.type }),
    ...(file?.modified !== undefined && { modified: file.modified }),
    ...(!file && { deleted: true }),
    ...(isBack && { restored: true }),
  }
}

/** The parts as they are then. @throws Later where another process was faster */
async function storeParts(
  { lists }: { readonly lists: KeptLists },
  name: ListName,
  parts: readonly KeptPart[],
  kept: ReadonlyMap<string, Kept>,
): Promise<readonly KeptPart[]> {
  const changed = new Map<number, Map<string, Kept>>()
  for (const [id, file] of kept) {
    const part = partOf(id)
    const files = changed.get(part) ?? new Map(parts[part]!.files)
    // What has changed last stands last: what is gone longest is dropped first.
    files.delete(id)
    changed.set(part, files.set(id, file))
  }
  for (const [part, files] of changed)
    if (!(await lists.store(name, part, parts[part]!.version, files)))
      throw new Later('another process polls it', 10_000)
  return parts.map(({ version, files }, part) => {
    const now = changed.get(part)
    return now ? { version: version + 1, files: now } : { version, files }
  })
}
