/**
 * The texts that the cells of a workbook share. A million of them as strings would take gigabytes: they are one run of
 * UTF-8 bytes with the place of each, in memory as long as it is small and in a file beyond.
 */
import { openSync, closeSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { randomUUID } from 'node:crypto'
import { FileRefused, type ReadLimits } from '../reader.ts'
import { xmlParser } from '../xml.ts'
import { plainText } from './plain-text.ts'

export interface SharedStrings extends Disposable {
  /** Undefined: there is none of this number. */
  at(index: number): string | undefined
}

/** Beyond so many bytes they go to a file. */
const IN_MEMORY = 64 * 1024 * 1024
const MOST_STRINGS = 10_000_000
/** So many places are kept together. */
const PLACES = 65_536

export interface SharedStringsOptions {
  /** Where the file may be made. */
  readonly folder: string
  readonly limits: ReadLimits
  readonly inMemory?: number
}

/** Throws `FileRefused`. */
export async function sharedStrings(
  text: AsyncIterable<string> | undefined,
  { folder, limits, inMemory = IN_MEMORY }: SharedStringsOptions,
): Promise<SharedStrings> {
  const store = stringStore(folder, inMemory)
  try {
    if (text) await fill(store, text, limits)
    return store
  } catch (error) {
    store[Symbol.dispose]()
    throw error
  }
}

async function fill(store: StringStore, text: AsyncIterable<string>, limits: ReadLimits): Promise<void> {
  const found = plainText(limits.cellCharacters)
  const parser = xmlParser("The workbook's shared texts", {
    open(element) {
      if (element === 'si') found.begin()
      else found.open(element)
    },
    text: found.text,
    close(element) {
      if (element === 'si') store.add(found.end())
      else found.close(element)
    },
  })
  for await (const part of text) parser.take(part)
  parser.end()
}

interface StringStore extends SharedStrings {
  add(text: string): void
}

/** Bytes of a file that are kept, so that neighbours are not read one by one. */
const PAGE = 64 * 1024

function stringStore(folder: string, inMemory: number): StringStore {
  let bytes = Buffer.allocUnsafe(64 * 1024)
  let used = 0
  /** How much of it is in the file; `bytes` has what comes after. */
  let inFile = 0
  const ends: Float64Array[] = []
  let count = 0
  let file: number | undefined
  const path = join(folder, `texts-${randomUUID()}.tmp`)
  let page: { from: number; bytes: Buffer } | undefined

  const endOf = (index: number): number => ends[Math.floor(index / PLACES)]![index % PLACES]!
  const spill = () => {
    file ??= openSync(path, 'wx+', 0o600)
    writeSync(file, bytes, 0, used, inFile)
    inFile += used
    used = 0
  }
  const fromFile = (from: number, to: number): string => {
    if (!page || from < page.from || to > page.from + page.bytes.length) {
      const length = Math.max(PAGE, to - from)
      const read = Buffer.allocUnsafe(length)
      page = { from, bytes: read.subarray(0, readSync(file!, read, 0, length, from)) }
    }
    return page.bytes.toString('utf8', from - page.from, to - page.from)
  }
  return {
    add(text) {
      if (count === MOST_STRINGS)
        throw new FileRefused(
          'too-large',
          `The workbook has more than ${MOST_STRINGS} different texts: import it in parts.`,
        )
      const length = Buffer.byteLength(text)
      if (used + length > bytes.length && bytes.length >= inMemory) spill()
      if (used + length > bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(bytes.length * 2, used + length))
        bytes.copy(larger, 0, 0, used)
        bytes = larger
      }
      used += bytes.write(text, used)
      if (count % PLACES === 0) ends.push(new Float64Array(PLACES))
      ends.at(-1)![count++ % PLACES] = inFile + used
    },
    at(index) {
      if (!Number.isInteger(index) || index < 0 || index >= count) return undefined
      const from = index === 0 ? 0 : endOf(index - 1)
      const to = endOf(index)
      if (from >= inFile) return bytes.toString('utf8', from - inFile, to - inFile)
      return fromFile(from, to)
    },
    [Symbol.dispose]() {
      if (file === undefined) return
      closeSync(file)
      rmSync(path, { force: true })
      file = undefined
    },
  }
}
