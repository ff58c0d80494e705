/**
 * Which encoding a text file is in, decided by its bytes: mark, pattern of UTF-16, valid UTF-8, else windows-1252 with a
 * notice. A file that is mostly valid UTF-8 with some bytes that are not is refused: decoded either way it would be
 * silently wrong.
 */
import { textOf, type TextOf } from './code-pages.ts'
import { FileRefused } from './reader.ts'

export interface DecodedText {
  readonly text: AsyncGenerator<string, void>
  /** As far as it is known by now: pure ASCII so far is utf-8. */
  found(): { readonly encoding: string; readonly assumed: boolean }
}

/** How much is looked at from the first byte on that is not ASCII. */
const WINDOW = 256 * 1024
const BEGINNING = 1024
/** What windows-1252 leaves undefined; DOS code pages have letters there. */
const UNDEFINED_IN_1252: ReadonlySet<number> = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])

/** The text of the bytes; throws `FileRefused` while it is iterated: `not-text`, `unknown-encoding`. */
export function decodedText(bytes: AsyncIterable<Uint8Array>, encoding?: string): DecodedText {
  let found = { encoding: encoding ?? 'utf-8', assumed: false }
  const use = (name: string, assumed = false): TextOf => {
    const decoder = textOf(name)
    found = { encoding: decoder.encoding, assumed }
    return decoder
  }
  async function* text(): AsyncGenerator<string, void> {
    const chunks = bytes[Symbol.asyncIterator]()
    try {
      const first = await gathered(chunks, BEGINNING)
      const decoder = encoding === undefined ? decoderBegunBy(first.bytes, use) : use(encoding)
      if (decoder) yield* throughDecoder(decoder, first.bytes, chunks)
      else yield* undecided(first.bytes, chunks, use)
    } finally {
      await chunks.return?.()
    }
  }
  return { text: withoutNul(text()), found: () => found }
}

/** Without a mark: ASCII goes through until a byte that is not decides. */
async function* undecided(
  first: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
  use: (name: string, assumed?: boolean) => TextOf,
): AsyncGenerator<string, void> {
  const ascii = new TextDecoder('utf-8')
  let chunk: Uint8Array | undefined = first
  while (chunk && chunk.every((byte) => byte < 0x80)) {
    if (chunk.length > 0) yield ascii.decode(chunk)
    const next: IteratorResult<Uint8Array> = await chunks.next()
    chunk = next.done ? undefined : next.value
  }
  if (!chunk) return
  const from = chunk.findIndex((byte) => byte >= 0x80)
  const window = await gathered(chunks, from + WINDOW, chunk)
  const name = judgedBytes(window.bytes.subarray(from), window.ended)
  yield* throughDecoder(use(name, name !== 'utf-8'), window.bytes, chunks)
}

function decoderBegunBy(
  first: Uint8Array,
  use: (name: string, assumed?: boolean) => TextOf,
): TextOf | undefined {
  const mark = [...first.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  if (mark === 'fffe0000' || mark === '0000feff')
    throw new FileRefused('unknown-encoding', 'The file is UTF-32: save it as UTF-8.')
  if (mark.startsWith('efbbbf')) return use('utf-8')
  if (mark.startsWith('fffe')) return use('utf-16le')
  if (mark.startsWith('feff')) return use('utf-16be')
  const pattern = utf16Pattern(first)
  return pattern && use(pattern)
}

/** UTF-16 of text in European languages has a zero byte in nearly every pair, always on the same side. */
function utf16Pattern(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const pairs = Math.floor(bytes.length / 2)
  if (pairs < 2) return undefined
  const zeros = [0, 0]
  for (let i = 0; i < pairs * 2; i++) if (bytes[i] === 0) zeros[i % 2]!++
  if (zeros[1]! > pairs * 0.7 && zeros[0] === 0) return 'utf-16le'
  if (zeros[0]! > pairs * 0.7 && zeros[1] === 0) return 'utf-16be'
  return undefined
}

/** Of bytes that begin with one that is not ASCII. */
function judgedBytes(bytes: Uint8Array, ended: boolean): 'utf-8' | 'windows-1252' {
  const { valid, invalid } = utf8Sequences(bytes, ended)
  if (invalid === 0) return 'utf-8'
  if (valid > invalid)
    throw new FileRefused(
      'not-text',
      'The file is UTF-8 with some bytes that are not: it was put together from files in several encodings, or damaged.',
    )
  if (bytes.some((byte) => UNDEFINED_IN_1252.has(byte)))
    throw new FileRefused(
      'unknown-encoding',
      'The file is neither UTF-8 nor windows-1252: name its encoding, such as ibm850 or windows-1250, or save it as UTF-8.',
    )
  return 'windows-1252'
}

/** How many sequences of several bytes are right, and how many bytes are in none. */
function utf8Sequences(bytes: Uint8Array, ended: boolean): { valid: number; invalid: number } {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let valid = 0
  let invalid = 0
  for (let i = 0; i < bytes.length;) {
    const byte = bytes[i]!
    const length = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
    if (length > 1) {
      if (!ended && i + length > bytes.length) break
      if (isSequence(decoder, bytes.subarray(i, i + length), length)) valid++
      else {
        invalid++
        i++
        continue
      }
    }
    i += length
  }
  return { valid, invalid }
}

function isSequence(decoder: TextDecoder, bytes: Uint8Array, length: number): boolean {
  if (bytes.length < length || bytes[0]! < 0xc2 || bytes[0]! > 0xf4) return false
  for (let i = 1; i < length; i++) if ((bytes[i]! & 0xc0) !== 0x80) return false
  if (length === 2) return true
  try {
    decoder.decode(bytes)
    return true
  } catch {
    return false
  }
}

async function* throughDecoder(
  decoder: TextOf,
  first: Uint8Array,
  chunks: AsyncIterator<Uint8Array>,
): AsyncGenerator<string, void> {
  yield decoder.take(first)
  for (;;) {
    const next = await chunks.next()
    if (next.done) break
    yield decoder.take(next.value)
  }
  const rest = decoder.end()
  if (rest !== '') yield rest
}

/** At least `most` bytes, where there are so many. */
async function gathered(
  chunks: AsyncIterator<Uint8Array>,
  most: number,
  first: Uint8Array = new Uint8Array(0),
): Promise<{ bytes: Uint8Array; ended: boolean }> {
  const parts = [first]
  let length = first.length
  while (length < most) {
    const next = await chunks.next()
    if (next.done) return { bytes: Buffer.concat(parts), ended: true }
    parts.push(next.value)
    length += next.value.length
  }
  return { bytes: Buffer.concat(parts), ended: false }
}

async function* withoutNul(text: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const part of text) {
    if (part.includes('\0'))
      throw new FileRefused('not-text', 'The file has NUL bytes: it is not a text file, or it is damaged.')
    if (part !== '') yield part
  }
}
