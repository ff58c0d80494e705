/**
 * Cuts the text of `{"Records": [ … ]}`, or of a list alone, into the texts of its records while it comes in: only one
 * record is kept at a time. What is inside a record is checked by what parses it.
 */
import { FileRefused } from './reader.ts'

const DEEPEST = 32
const LONGEST = 1024 * 1024
const OPENING = /^\s*(\{\s*"Records"\s*:\s*)?\[/
/** What there may be before `[` in a file that goes on well. */
const LONGEST_OPENING = 200
const NEXT = /\s*(?:(,)\s*)?(\S)/y

interface Cutting {
  /** What is not cut yet, and how far it was looked through. */
  buffer: string
  at: number
  phase: 'opening' | 'between' | 'record' | 'closing'
  /** What has to come after the list. */
  closes: '' | '}'
  count: number
  depth: number
  inText: boolean
}

/** Throws `FileRefused`: `not-records`, `too-deep`, `cell-too-long`, `damaged` when the text ends too early. */
export async function* recordTexts(text: AsyncIterable<string>): AsyncGenerator<string, void> {
  const cutting: Cutting = {
    buffer: '',
    at: 0,
    phase: 'opening',
    closes: '',
    count: 0,
    depth: 0,
    inText: false,
  }
  for await (const part of text) {
    cutting.buffer = cutting.buffer + part
    for (;;) {
      const found = PHASES[cutting.phase](cutting)
      if (found === 'more') break
      if (found !== 'next') yield found.record
    }
    if (cutting.buffer.length > LONGEST + part.length) throw tooLong(cutting.count + 1)
  }
  if (cutting.phase === 'closing' && cutting.buffer.trim() === cutting.closes) return
  if (cutting.phase === 'opening' || (cutting.phase === 'closing' && cutting.buffer.trim() !== ''))
    throw notRecords()
  throw new FileRefused(
    'damaged',
    `The JSON ends too early, after ${cutting.count} records: the file seems to be cut off.`,
  )
}

type Step = 'more' | 'next' | { readonly record: string }

const PHASES: { readonly [phase in Cutting['phase']]: (cutting: Cutting) => Step } = {
  opening(cutting) {
    const opening = OPENING.exec(cutting.buffer)
    if (!opening) {
      if (cutting.buffer.length > LONGEST_OPENING) throw notRecords()
      return 'more'
    }
    cutting.closes = opening[1] === undefined ? '' : '}'
    return goOn(cutting, opening[0].length, 'between')
  },

  between(cutting) {
    NEXT.lastIndex = cutting.at
    const next = NEXT.exec(cutting.buffer)
    if (!next) return 'more'
    const [, comma, char] = next
    if (char === ',' && cutting.buffer.slice(NEXT.lastIndex).trim() === '') return 'more'
    if (char === ']' && comma === undefined) return goOn(cutting, NEXT.lastIndex, 'closing')
    if (char !== '{' || (comma === undefined) !== (cutting.count === 0)) throw notRecords()
    cutting.depth = 0
    cutting.inText = false
    return goOn(cutting, NEXT.lastIndex - 1, 'record')
  },

  record(cutting) {
    const end = endOfRecord(cutting)
    if (end === -1) return 'more'
    const record = cutting.buffer.slice(0, end)
    if (record.length > LONGEST) throw tooLong(cutting.count + 1)
    cutting.count++
    goOn(cutting, end, 'between')
    return { record }
  },

  closing: ({ buffer }) => {
    if (buffer.trim().length > 1) throw notRecords()
    return 'more'
  },
}

function goOn(cutting: Cutting, from: number, phase: Cutting['phase']): 'next' {
  cutting.buffer = cutting.buffer.slice(from)
  cutting.at = 0
  cutting.phase = phase
  return 'next'
}

/** The place after the record that the buffer begins with; -1 when it goes on in the next part. */
function endOfRecord(cutting: Cutting): number {
  const { buffer } = cutting
  let { at, depth, inText } = cutting
  for (; at < buffer.length; at++) {
    const code = buffer.charCodeAt(at)
    if (inText) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) inText = false
    } else if (code === QUOTE) inText = true
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      if (++depth > DEEPEST) throw tooDeep(cutting.count + 1)
    } else if ((code === CLOSE_OBJECT || code === CLOSE_LIST) && --depth === 0) return at + 1
  }
  // An escape may be cut in two: `at` is then one beyond, and stays so.
  Object.assign(cutting, { at, depth, inText })
  return -1
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d

const notRecords = () =>
  new FileRefused('not-records', 'The JSON must be {"Records": [ … ]} with an object for each record.')

const tooDeep = (record: number) =>
  new FileRefused('too-deep', `Record ${record} is nested more than ${DEEPEST} deep.`)

const tooLong = (record: number) =>
  new FileRefused('cell-too-long', `Record ${record} has more than ${LONGEST} characters.`)
