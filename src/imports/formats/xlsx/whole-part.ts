/** The small parts of a workbook: read from beginning to end by handlers. */
import { xmlParser, type XmlHandlers } from '../xml.ts'
import type { Archive } from './archive.ts'

/** Throws `FileRefused`. */
export async function readPart(archive: Archive, name: string, handlers: XmlHandlers): Promise<void> {
  const parser = xmlParser(`The workbook's part ${name}`, handlers)
  for await (const text of archive.text(name)) parser.take(text)
  parser.end()
}
