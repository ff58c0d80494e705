/** Where the parts of a workbook are: by its relationships (OPC), transitional and strict alike. */
import { posix } from 'node:path'
import { FileRefused } from '../reader.ts'
import type { Archive } from './archive.ts'
import { readPart } from './whole-part.ts'

export interface Relationship {
  readonly id: string
  /** The last word of its type, such as `worksheet`: the rest differs between transitional and strict. */
  readonly type: string
  readonly target: string
}

/** The path of the workbook's main part. Throws `FileRefused` (`other-format`, `damaged`) where it is not one. */
export async function workbookPath(archive: Archive): Promise<string> {
  refuseOthers(archive)
  const path = archive.has('_rels/.rels')
    ? (await relationships(archive, '')).find(({ type }) => type === 'officeDocument')?.target
    : undefined
  const found = path ?? 'xl/workbook.xml'
  if (/\.bin$/i.test(found)) throw binary()
  if (/^word\/|^ppt\//i.test(found))
    throw other('It is a text document or a presentation: send a workbook (.xlsx).')
  if (!archive.has(found))
    throw other('It is an archive without a workbook in it: send an .xlsx, CSV or JSON.')
  return found
}

/** What the part refers to; external targets are left out: they are never read. */
export async function relationships(archive: Archive, part: string): Promise<readonly Relationship[]> {
  const folder = posix.dirname(part)
  const base = folder === '.' ? '' : `${folder}/`
  const name = part === '' ? '_rels/.rels' : `${base}_rels/${posix.basename(part)}.rels`
  const found: Relationship[] = []
  if (!archive.has(name)) return found
  await readPart(archive, name, {
    open(element, { Id: id, Type: type, Target: target, TargetMode: mode }) {
      if (element !== 'Relationship' || !id || !type || !target || mode === 'External') return
      const path = target.startsWith('/') ? target : posix.join('/', base, target)
      found.push({ id, type: type.split('/').at(-1)!, target: path.slice(1) })
    },
  })
  return found
}

function refuseOthers({ names, has }: Archive): void {
  const some = (pattern: RegExp) => names.some((name) => pattern.test(name))
  if (has('mimetype') && has('content.xml'))
    throw other('It is an OpenDocument file (.ods): save it as .xlsx or CSV.')
  if (some(/^Index\/.*\.iwa$|^Index\.zip$/i))
    throw other('It is a document of Numbers: export it as .xlsx or CSV.')
  if (some(/^xl\/workbook\.bin$/i)) throw binary()
}

const binary = () => other('It is a binary workbook (.xlsb): save it as .xlsx.')
const other = (message: string) => new FileRefused('other-format', message)
