/** Bytes to text in a named encoding: what `TextDecoder` knows, and the code pages of DOS beside it. */
import iconv from 'iconv-lite'
import { FileRefused } from './reader.ts'

export interface TextOf {
  /** The name under which the encoding is known here. */
  readonly encoding: string
  /** The text of the next bytes. Throws `FileRefused` (`not-text`) where they are not in this encoding. */
  take(bytes: Uint8Array): string
  /** The text of what is left over. */
  end(): string
}

const DOS_PAGE = /^(?:cp|ibm|dos|oem)?[-_ ]?(437|737|775|850|852|855|857|858|860|861|862|863|865)$/i

/** Throws `FileRefused` (`unknown-encoding`) for a name that is not known. */
export function textOf(name: string): TextOf {
  const page = DOS_PAGE.exec(name)?.[1]
  return page === undefined ? webEncoding(name) : dosPage(`cp${page}`)
}

function webEncoding(name: string): TextOf {
  let decoder: TextDecoder
  try {
    decoder = new TextDecoder(name, { fatal: true })
  } catch {
    throw new FileRefused(
      'unknown-encoding',
      `${JSON.stringify(name)} is not an encoding that is known: name one such as utf-8, windows-1252 or ibm850.`,
    )
  }
  let before = 0
  const decode = (bytes: Uint8Array | undefined): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw new FileRefused(
        'not-text',
        `The file is not ${decoder.encoding} from about byte ${before} on: save it in one encoding, or name the one that it is in.`,
      )
    } finally {
      before += bytes?.byteLength ?? 0
    }
  }
  return { encoding: decoder.encoding, take: decode, end: () => decode(undefined) }
}

function dosPage(encoding: string): TextOf {
  const decoder = iconv.getDecoder(encoding)
  return { encoding, take: (bytes) => decoder.write(Buffer.from(bytes)), end: () => decoder.end() ?? '' }
}
