/** Lists a folder and all below it, folder by folder: servers may refuse to list all at once. */
import { AGAIN_MS, FOR_PERSON_MS, Later } from '../calls/later.ts'
import type { Called, FilledRequest } from '../calls/call.ts'
import { readMultistatus, UnreadableAnswer, type Resource } from './multistatus.ts'
import type { Listed } from './file-list.ts'

export interface FileThere extends Listed {
  readonly name: string
  /** The whole address. */
  readonly url: string
  readonly size: number | undefined
  readonly type: string | undefined
  readonly modified: string | undefined
}

export interface Walked {
  readonly files: readonly FileThere[]
  /** Folders that may not be read. */
  readonly unread: readonly string[]
}

export interface WalkOptions {
  /** The request that lists the topmost folder. */
  readonly top: FilledRequest
  readonly ask: (request: FilledRequest) => Promise<Called>
  /** Names of files that are passed over. */
  readonly skip: readonly string[]
}

const MOST_FOLDERS = 2_000
const MOST_FILES = 20_000
const DEEPEST = 30
const LONGEST_PATH = 1_000

const PROPFIND =
  '<?xml version="1.0" encoding="utf-8"?><D:propfind xmlns:D="DAV:" xmlns:oc="http://owncloud.org/ns"><D:prop>' +
  '<D:resourcetype/><D:getetag/><D:getcontentlength/><D:getcontenttype/><D:getlastmodified/><oc:fileid/>' +
  '</D:prop></D:propfind>'
const HEADERS = {
  depth: '1',
  accept: 'application/xml, text/xml',
  'content-type': 'application/xml; charset=utf-8',
}

/** @throws Later */
export async function walkFolders({ top, ask, skip }: WalkOptions): Promise<Walked> {
  const files: FileThere[] = []
  const unread: string[] = []
  const folders: (readonly string[])[] = [[]]
  let base: readonly string[] | undefined
  for (let next = 0; next < folders.length; next++) {
    if (next >= MOST_FOLDERS) throw forPerson(`there are more than ${MOST_FOLDERS} folders`)
    const folder = folders[next]!
    const path = top.path.replace(/\/*$/, '/') + folder.map((part) => `${encodeURIComponent(part)}/`).join('')
    const called = await ask({
      method: 'PROPFIND',
      path,
      headers: { ...HEADERS, ...top.headers },
      body: PROPFIND,
    })
    const isInner = folder.length > 0
    if (isInner && called.kind === 'answered' && called.status === 404) continue
    if (isInner && called.kind === 'answered' && called.status === 403) {
      unread.push(`${folder.join('/')}/`)
      continue
    }
    const { url, resources } = resourcesOf(called)
    base ??= partsOf(new URL(url).pathname)!
    for (const resource of resources) {
      const parts = partsBelow(base, resource, url)
      // A server may name the folder itself, and more than it was asked for.
      if (!parts || parts.length !== folder.length + 1 || !folder.every((part, at) => part === parts[at]))
        continue
      const name = parts.at(-1)!
      if (/^(\.|~\$)/.test(name) || skip.includes(name)) continue
      if (resource.isFolder) {
        if (parts.length < DEEPEST) folders.push(parts)
      } else files.push(fileOf(resource, parts, url))
    }
    if (files.length > MOST_FILES) throw forPerson(`there are more than ${MOST_FILES} files`)
  }
  return { files, unread }
}

function resourcesOf(called: Called): { readonly url: string; readonly resources: readonly Resource[] } {
  if (called.kind === 'held') throw new Later(called.detail, called.ms)
  if (called.kind === 'failed') throw new Later(called.detail, 10_000)
  if (called.kind === 'refused') throw forPerson(called.detail)
  const { status, headers, text, url } = called
  if (status === 401 || status === 403)
    throw forPerson(`the other system answers ${status}: check the credentials`)
  if (status === 404) throw forPerson(`there is no folder at ${url}`)
  if (status !== 207)
    throw new Later(`the other system answers ${status} and not what was asked for`, AGAIN_MS)
  const type = headers['content-type'] ?? ''
  if (!/^(application|text)\/([\w.-]+\+)?xml\b/i.test(type))
    throw forPerson(`the other system answers with ${type.slice(0, 60) || 'no media type'}, and not with XML`)
  try {
    return { url, resources: readMultistatus(text) }
  } catch (error) {
    if (error instanceof UnreadableAnswer) throw forPerson(error.message)
    throw error
  }
}

/** The names below the base; undefined: it stands elsewhere. */
function partsBelow(base: readonly string[], { href }: Resource, url: string): readonly string[] | undefined {
  if (href.length > 4 * LONGEST_PATH || !URL.canParse(href, url)) return undefined
  const parts = partsOf(new URL(href, url).pathname)
  if (!parts || !base.every((part, at) => part === parts[at])) return undefined
  const below = parts.slice(base.length)
  return below.join('/').length > LONGEST_PATH ? undefined : below
}

/** Undefined where a name could be taken for several, or for none. */
function partsOf(path: string): readonly string[] | undefined {
  try {
    const parts = path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent)

    return parts.some((part) => /[/\\\u0000-\u001f]|^\.{1,2}$/.test(part)) ? undefined : parts
  } catch {
    return undefined
  }
}

function fileOf(
  { href, etag, size, type, modified, fileId }: Resource,
  parts: readonly string[],
  url: string,
): FileThere {
  return {
    path: parts.join('/'),
    name: parts.at(-1)!,
    tag: (etag ?? `${modified ?? ''} ${size ?? ''}`.trim()).slice(0, 100),
    fileId,
    url: new URL(new URL(href, url).pathname, url).href,
    size,
    type: type?.split(';')[0]?.trim().slice(0, 127),
    modified: isoOf(modified),
  }
}

function isoOf(modified: string | undefined): string | undefined {
  const at = Date.parse(modified ?? '')
  return Number.isNaN(at) ? undefined : new Date(at).toISOString()
}

const forPerson = (message: string) => new Later(message, FOR_PERSON_MS, true)
