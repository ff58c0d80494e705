/**
 * Reads the answer 207 of a WebDAV server (RFC 4918): what it says of each file and folder. What comes from outside is
 * bounded: no DOCTYPE, so no entities but XML's five, and no depth without bound.
 */
import { SaxesParser } from 'saxes'
import type { Json } from '../../domain/json.ts'

/** What a server says of one address; without what it does not know. */
export interface Resource {
  readonly href: string
  readonly isFolder: boolean
  readonly etag?: string
  readonly size?: number
  readonly type?: string
  /** As HTTP writes dates. */
  readonly modified?: string
  /** Of servers that know a file by a number of its own, whatever it is called. */
  readonly fileId?: string
  /** The worst of the statuses that are said of it. */
  readonly status: number
}

/** What was sent cannot be read; the message says why. */
export class UnreadableAnswer extends Error {}

const DAV = 'DAV:'
const OWNCLOUD = 'http://owncloud.org/ns'
const DEEPEST = 30
const MOST = 20_000

/** Properties that are asked for and read. */
const NAMES: Readonly<Record<string, keyof Texts>> = {
  [`${DAV} getetag`]: 'etag',
  [`${DAV} getcontentlength`]: 'size',
  [`${DAV} getcontenttype`]: 'type',
  [`${DAV} getlastmodified`]: 'modified',
  [`${OWNCLOUD} fileid`]: 'fileId',
}

interface Texts {
  etag?: string
  size?: string
  type?: string
  modified?: string
  fileId?: string
}

interface Properties extends Texts {
  isFolder?: boolean
}

/** @throws UnreadableAnswer */
export function readMultistatus(text: string): readonly Resource[] {
  const resources: Resource[] = []
  const path: string[] = []
  let [written, href, statuses]: [string, string, number[]] = ['', '', []]
  let [known, found, status]: [Properties, Properties, number] = [{}, {}, 0]
  const parser = new SaxesParser({ xmlns: true, position: false })
  parser.on('doctype', () => refuse('it has a DOCTYPE'))
  parser.on('error', (error) => refuse(error.message.slice(0, 100)))
  const take = (part: string) => void (written += part)
  parser.on('text', take)
  parser.on('cdata', take)
  parser.on('opentag', ({ uri, local }) => {
    const name = `${uri} ${local}`
    if (path.length === 0 && name !== `${DAV} multistatus`) refuse('it is not a multistatus')
    if (path.length >= DEEPEST) refuse(`it is nested more than ${DEEPEST} deep`)
    path.push(name)
    written = ''
    if (name === `${DAV} response`) [href, statuses, known] = ['', [], {}]
    if (name === `${DAV} propstat`) [found, status] = [{}, 0]
    if (name === `${DAV} collection` && path.at(-2) === `${DAV} resourcetype`) found.isFolder = true
  })
  parser.on('closetag', () => {
    const name = path.pop()!
    const [value, parent] = [written.trim(), path.at(-1)]
    written = ''
    if (parent === `${DAV} prop` && NAMES[name] && value !== '') found[NAMES[name]] = value
    else if (name === `${DAV} href` && parent === `${DAV} response`) href = value
    else if (name === `${DAV} status`) {
      status = Number(/^HTTP\/\S+ (\d{3})/.exec(value)?.[1] ?? 0)
      if (parent === `${DAV} response`) statuses.push(status)
    } else if (name === `${DAV} propstat`) {
      statuses.push(status)
      if (status >= 200 && status < 300) known = { ...known, ...found }
    } else if (name === `${DAV} response`) {
      if (resources.length >= MOST) refuse(`it names more than ${MOST} files`)
      if (href !== '') resources.push(resourceOf(href, known, Math.max(0, ...statuses)))
    }
  })
  parser.write(text).close()
  if (path.length > 0) refuse('it ends too early')
  return resources
}

function resourceOf(
  href: string,
  { isFolder = false, size, ...known }: Properties,
  status: number,
): Resource {
  const bytes = Number(size ?? Number.NaN)
  return {
    href,
    isFolder,
    ...known,
    ...(Number.isSafeInteger(bytes) && bytes >= 0 && { size: bytes }),
    status,
  }
}

function refuse(why: string): never {
  throw new UnreadableAnswer(`the XML of the answer cannot be read: ${why}`)
}

/** The same as JSON, for paths of integration files. */
export const multistatusJson = (resources: readonly Resource[]): Json => ({
  resources: resources.map((resource) => ({ ...resource })),
})
