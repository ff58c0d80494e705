/**
 * The ZIP archive of a workbook. What is inflated is counted while it is inflated: sizes that an archive declares are
 * not believed, and need not be right: the checksum says whether a part is whole.
 */
import { crc32 } from 'node:zlib'
import { openPromise, type Entry, type ZipFile } from 'yauzl'
import { decodedText } from '../encoding.ts'
import { FileRefused, type ReadLimits } from '../reader.ts'
import { shortened } from '../shortened.ts'

export interface Archive extends AsyncDisposable {
  /** The entries' names, as they are written in it. */
  readonly names: readonly string[]
  has(name: string): boolean
  /** The text of an XML entry. Throws `FileRefused` (`damaged`, `inflates-too-far`), also while it is iterated. */
  text(name: string): AsyncGenerator<string, void>
}

/** So often may an entry become as large, once it is larger than the second. */
const MOST_RATIO = 200
const LONGEST_MESSAGE = 200
const SMALL = 16 * 1024 * 1024

/** Throws `FileRefused` (`damaged`, `encrypted`). */
export async function openArchive(path: string, limits: ReadLimits): Promise<Archive> {
  const zip = await openPromise(path, { autoClose: false, validateEntrySizes: false }).catch(
    (error: unknown) => {
      throw damaged(error)
    },
  )
  try {
    const entries = await entriesOf(zip, limits)
    let inflated = 0
    const count = (bytes: number) => {
      inflated += bytes
      if (inflated > limits.inflated)
        throw new FileRefused(
          'inflates-too-far',
          `The workbook has more than ${limits.inflated} bytes when it is unpacked: import it in parts.`,
        )
    }
    return {
      names: [...entries.values()].map(({ fileName }) => fileName),
      has: (name) => entries.has(keyOf(name)),
      text(name) {
        const entry = entries.get(keyOf(name))
        if (!entry) throw new FileRefused('damaged', `The workbook has no part ${JSON.stringify(name)}.`)
        return decodedText(inflating(zip, entry, count)).text
      },
      [Symbol.asyncDispose]: () => closed(zip),
    }
  } catch (error) {
    await closed(zip)
    throw error
  }
}

/** Programs disagree about capitals and slashes in names. */
const keyOf = (name: string): string => name.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()

async function entriesOf(zip: ZipFile, limits: ReadLimits): Promise<ReadonlyMap<string, Entry>> {
  if (zip.entryCount > limits.entries)
    throw new FileRefused(
      'damaged',
      `The archive has more than ${limits.entries} files: it is not a workbook.`,
    )
  const entries = new Map<string, Entry>()
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.isEncrypted())
        throw new FileRefused(
          'encrypted',
          'The archive is protected by a password: save the workbook without one.',
        )
      const key = keyOf(entry.fileName)
      if (entries.has(key))
        throw new FileRefused('damaged', `The archive has ${JSON.stringify(entry.fileName)} twice.`)
      entries.set(key, entry)
    }
  } catch (error) {
    throw error instanceof FileRefused ? error : damaged(error)
  }
  return entries
}

async function* inflating(
  zip: ZipFile,
  entry: Entry,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void> {
  let size = 0
  let sum = 0
  try {
    const stream = await zip.openReadStreamPromise(entry)
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength
      count(chunk.byteLength)
      if (size > SMALL && size > entry.compressedSize * MOST_RATIO)
        throw new FileRefused(
          'inflates-too-far',
          `A part of the workbook becomes more than ${MOST_RATIO} times as large when it is unpacked.`,
        )
      sum = crc32(chunk, sum)
      yield chunk
    }
    if (sum !== entry.crc32) throw new Error('a checksum is wrong')
  } catch (error) {
    throw error instanceof FileRefused ? error : damaged(error)
  }
}

function closed(zip: ZipFile): Promise<void> {
  if (!zip.isOpen) return Promise.resolve()
  return new Promise((resolve) => {
    zip.once('close', resolve)
    zip.close()
  })
}

const damaged = (error: unknown) =>
  new FileRefused(
    'damaged',
    `The workbook's archive is damaged or cut off: ${printable((error as Error).message)}`,
    { cause: error },
  )

/** A message that may quote names of the archive. */
const printable = (message: string): string =>
  shortened(message.replaceAll(/[^\x20-\x7e]/g, '?'), LONGEST_MESSAGE)
