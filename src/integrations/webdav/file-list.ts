/**
 * What has happened to the files of a folder since they were last listed. WebDAV has no list of changes, so each listing is compared
 * with the one before. A file that has gone from one place and stands at another with the same ETag was moved. Pure.
 */

/** A file as the server lists it. */
export interface Listed {
  /** Below the folder of the integration, `C-000001/lease.pdf`. */
  readonly path: string
  /** What changes with its content. */
  readonly tag: string
  /** Of servers that have one: it stays whatever the file is called. */
  readonly fileId?: string | undefined
}

/** `missing`: the last listing did not have it; it may be on its way to another folder. */
export type Presence = 'there' | 'missing' | 'gone'

export interface Kept {
  readonly path: string
  readonly tag: string
  readonly presence: Presence
  /** Its change may not have come into the inbox. */
  readonly uncertain?: Uncertain | undefined
}

export interface Uncertain {
  /** What makes the item of this change another than those of others. */
  readonly seen: number
  readonly isBack: boolean
}

/** A file by what it is known by here, for ever. */
export interface FileChange<File extends Listed> {
  readonly id: string
  /** Undefined: it is gone. */
  readonly file: File | undefined
  /** It was gone before. */
  readonly isBack: boolean
  /** Of a change that may have come into the inbox already: what it came as. */
  readonly seen?: number
}

export interface Compared<File extends Listed> {
  /** Of all files that are there, each with what it is known by. */
  readonly there: readonly { readonly id: string; readonly file: File }[]
  readonly changes: readonly FileChange<File>[]
  /** What is kept of the files that are changed. */
  readonly kept: ReadonlyMap<string, Kept>
}

export interface Comparing {
  /** An identifier of what makes a file what it is; of the same always the same. */
  readonly idOf: (name: string) => string
  /** What could not be listed this time: nothing there is missing. */
  readonly isUnread: (path: string) => boolean
  /** What is missing is gone at once, and not only when the next listing has it neither. */
  readonly isFinal?: boolean
}

export function compareFiles<File extends Listed>(
  before: ReadonlyMap<string, Kept>,
  files: readonly File[],
  { idOf, isUnread, isFinal = false }: Comparing,
): Compared<File> {
  const matched = matchFiles(before, files, idOf)
  const changes: FileChange<File>[] = []
  const kept = new Map<string, Kept>()
  for (const [id, file] of matched) {
    const { path, tag } = file
    const was = before.get(id)
    const isSame = was?.path === path && was.tag === tag && was.presence !== 'gone'
    if (isSame && was.presence === 'there' && !was.uncertain) continue
    kept.set(id, { path, tag, presence: 'there' })
    if (isSame && was.uncertain) changes.push({ id, file, ...was.uncertain })
    else if (!isSame)
      changes.push({ id, file, isBack: was?.presence === 'gone' || was?.uncertain?.isBack === true })
  }
  for (const [id, was] of before) {
    if (matched.has(id) || isUnread(was.path)) continue
    if (was.presence === 'gone') {
      if (!was.uncertain) continue
      kept.set(id, { path: was.path, tag: was.tag, presence: 'gone' })
      changes.push({ id, file: undefined, ...was.uncertain })
      continue
    }
    const isGone = isFinal || was.presence === 'missing'
    const { path, tag, uncertain } = was
    kept.set(id, isGone ? { path, tag, presence: 'gone' } : { path, tag, presence: 'missing', uncertain })
    if (isGone) changes.push({ id, file: undefined, isBack: false })
  }
  return { there: [...matched].map(([id, file]) => ({ id, file })), changes, kept }
}

/** By the server's own number, else by the path, else by the tag where only one file can be meant. */
function matchFiles<File extends Listed>(
  before: ReadonlyMap<string, Kept>,
  files: readonly File[],
  idOf: (name: string) => string,
): ReadonlyMap<string, File> {
  const matched = new Map<string, File>()
  const known = [...before].map(([id, kept]) => ({ id, ...kept }))
  const byPath = new Map(
    known.filter(({ presence }) => presence !== 'gone').map(({ id, path }) => [path, id]),
  )
  const gone = new Map(known.filter(({ presence }) => presence === 'gone').map(({ id, path }) => [path, id]))
  const rest: File[] = []
  for (const file of files) {
    const id = file.fileId === undefined ? byPath.get(file.path) : idOf(`number ${file.fileId}`)
    if (id === undefined || matched.has(id)) rest.push(file)
    else matched.set(id, file)
  }
  const lost = grouped(
    known.filter(({ id }) => !matched.has(id)),
    ({ tag }) => tag,
  )
  const found = grouped(rest, ({ tag }) => tag)
  for (const file of rest) {
    const candidates = lost.get(file.tag) ?? []
    const [only] = candidates
    const isMoved = only && candidates.length === 1 && found.get(file.tag)!.length === 1 && file.tag !== ''
    const back = gone.get(file.path)
    if (isMoved) matched.set(only.id, file)
    else if (back !== undefined && !matched.has(back)) matched.set(back, file)
    else matched.set(freshId(file, idOf, before, matched), file)
  }
  return matched
}

function freshId(
  { path, tag }: Listed,
  idOf: (name: string) => string,
  ...taken: readonly ReadonlyMap<string, unknown>[]
): string {
  for (let count = 0; ; count++) {
    const id = idOf(`path ${path} ${tag} ${count}`)
    if (!taken.some((ids) => ids.has(id))) return id
  }
}

function grouped<Item>(items: readonly Item[], by: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const group = groups.get(by(item))
    if (group) group.push(item)
    else groups.set(by(item), [item])
  }
  return groups
}
