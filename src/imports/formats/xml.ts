/**
 * XML as a stream of elements, for formats from outside: no DOCTYPE, so no entities but XML's five, and no depth without
 * bound. Names are without their prefixes, as writers choose those freely.
 */
import { SaxesParser } from 'saxes'
import { FileRefused } from './reader.ts'
import { shortened } from './shortened.ts'

export type Attributes = Readonly<Record<string, string | undefined>>

export interface XmlHandlers {
  open?(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

export interface XmlParser {
  /** Calls the handlers for what ends in this part. Throws `FileRefused` (`damaged`, `doctype`, `too-deep`). */
  take(part: string): void
  /** Throws `FileRefused` (`damaged`) when the document ends too early. */
  end(): void
}

const DEEPEST = 100
const LONGEST_MESSAGE = 200
/** A text, a comment or a tag of more characters is not read to its end. */
const LONGEST = 4 * 1024 * 1024

export function xmlParser(what: string, { open, text, close }: XmlHandlers): XmlParser {
  const parser = new SaxesParser({ xmlns: false, position: false })
  let depth = 0
  /** Characters since something ended. */
  let pending = 0
  parser.on('doctype', () => {
    throw new FileRefused('doctype', `${what} has a DOCTYPE, which is not read.`)
  })
  parser.on('error', (error) => {
    throw new FileRefused(
      'damaged',
      `${what} is not well-formed XML: ${shortened(error.message, LONGEST_MESSAGE)}`,
    )
  })
  parser.on('opentag', ({ name, attributes }) => {
    pending = 0
    if (++depth > DEEPEST) throw new FileRefused('too-deep', `${what} is nested more than ${DEEPEST} deep.`)
    open?.(localName(name), localNames(attributes))
  })
  if (text) {
    parser.on('text', text)
    parser.on('cdata', text)
  }
  parser.on('closetag', ({ name }) => {
    pending = 0
    depth--
    close?.(localName(name))
  })
  return {
    take(part) {
      pending += part.length
      parser.write(part)
      if (pending > LONGEST + part.length)
        throw new FileRefused(
          'cell-too-long',
          `${what} has a text or a tag of more than ${LONGEST} characters.`,
        )
    },
    end: () => void parser.close(),
  }
}

const localName = (name: string): string => {
  const colon = name.indexOf(':')
  return colon < 0 ? name : name.slice(colon + 1)
}

function localNames(attributes: Attributes): Attributes {
  for (const name in attributes) {
    const local = localName(name)
    // A name without a prefix wins over the same with one.
    if (local !== name && attributes[local] === undefined)
      (attributes as Record<string, string>)[local] = attributes[name]!
  }
  return attributes
}
