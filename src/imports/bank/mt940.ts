/**
 * MT940, line by line. A statement of several pages (`:60M:`, `:62M:`) is one. MT942, the day so far, is refused as its
 * lines are not final.
 */
import { boundedBytes } from '../formats/bounded-bytes.ts'
import { decodedText } from '../formats/encoding.ts'
import { linesOf } from '../formats/lines.ts'
import { DEFAULT_LIMITS, FileRefused } from '../formats/reader.ts'
import { balanceIn, informationIn, lineIn } from './mt940-fields.ts'
import {
  present,
  type Balance,
  type BankItem,
  type BankLine,
  type Statement,
  type StatementReader,
} from './statement.ts'

const LONGEST_LINE = 100_000
const MOST_LINES_OF_FIELD = 200
const TAG = /^:(\d{2}[A-Z]?|NS):(.*)$/s

export const readMt940: StatementReader = async function* (bytes, options = {}, limits = DEFAULT_LIMITS) {
  const text = decodedText(boundedBytes(bytes, limits.bytes), options.encoding).text
  const pages = statementPages()
  for await (const field of fieldsOf(linesOf(text, LONGEST_LINE))) yield* pages.take(field)
  yield* pages.end()
}

interface Field {
  readonly place: number
  readonly tag: string
  text: string
  lines: number
}

/** Fields of the message: a line that begins with no tag goes on with the one before. */
async function* fieldsOf(lines: AsyncIterable<string>): AsyncGenerator<Field, void> {
  let field: Field | undefined
  let place = 0
  for await (const raw of lines) {
    place++
    if (/\{2:[IO]942/.test(raw)) throw intraday()
    // Envelopes of SWIFT, and the controls that stand around messages.
    const line = raw
      .replaceAll(/[\x00-\x08\x0b-\x1f]/g, '')
      .replace(/^(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})*\{4:/, '')
    const match = TAG.exec(line.trimStart())
    if (match) {
      if (field) yield field
      field = { place, tag: match[1]!, text: match[2]!, lines: 1 }
    } else if (/^\s*-\}?|^\{/.test(line)) {
      if (field) yield field
      field = undefined
    } else if (field && ++field.lines <= MOST_LINES_OF_FIELD) field.text += `\n${line}`
  }
  if (field) yield field
}

/** What of a statement is known while its fields come. */
interface Page {
  account: string
  number: string | undefined
  id: string | undefined
  opening: Balance | undefined
  closing: Balance | undefined
  /** Whether its beginning is passed on. */
  begun: boolean
  /** The last line, as its information may still come. */
  held: BankLine | undefined
  lastTag: string
}

const emptyPage = (lastTag: string): Page => ({
  account: '',
  number: undefined,
  id: undefined,
  opening: undefined,
  closing: undefined,
  begun: false,
  held: undefined,
  lastTag,
})

function statementPages() {
  let page = emptyPage('')
  const end = (): BankItem[] => {
    const items = release(page)
    if (page.begun) items.push({ is: 'end', end: page.closing ? { closing: page.closing } : {} })
    page = emptyPage(page.lastTag)
    return items
  }
  const take = (field: Field): BankItem[] => {
    const before = page.lastTag
    page.lastTag = field.tag
    // A page that says that it goes on is followed by one of the same statement.
    if (field.tag === '20' && !(page.begun && before.startsWith('62M'))) {
      const items = end()
      page.id = field.text.trim()
      return items
    }
    return FIELDS[field.tag]?.(page, field, before) ?? []
  }
  return { take, end }
}

function release(page: Page): BankItem[] {
  const line = page.held
  page.held = undefined
  return line ? [{ is: 'line', line }] : []
}

function begin(page: Page): BankItem[] {
  if (page.begun) return []
  page.begun = true
  const { account, number, id, opening } = page
  const more = present<Statement>({ number, id, opening, currency: opening?.currency })
  return [{ is: 'statement', statement: { format: 'mt940', account, ...more } }]
}

function readLine(page: Page, { place, text }: Field): BankItem[] {
  const items = [...release(page), ...begin(page)]
  const found = lineIn(text)
  if (!found)
    return [...items, { is: 'unreadable', place, message: `Line ${place}: the field :61: cannot be read.` }]
  if (found.clamped)
    items.push({
      is: 'notice',
      place,
      message: `Line ${place} names a day that does not exist; the last of the month is taken.`,
    })
  page.held = { place, currency: page.opening?.currency ?? '', text: found.more, ...found.line }
  return items
}

type FieldReader = (page: Page, field: Field, before: string) => BankItem[]

const account: FieldReader = (page, { text }) => {
  if (!page.begun) page.account = text.split('\n')[0]!.replaceAll(/\s/g, '')
  return []
}
const number: FieldReader = (page, { text }) => {
  if (!page.begun) page.number = text.trim()
  return []
}
const opening: FieldReader = (page, { text }) => {
  if (!page.begun) page.opening = balanceIn(text)
  return begin(page)
}
const closing: FieldReader = (page, { text }) => {
  page.closing = balanceIn(text)
  return [...release(page), ...begin(page)]
}
const information: FieldReader = (page, { text }, before) => {
  if (page.held && (before === '61' || before === 'NS'))
    page.held = { ...page.held, ...mergedInformation(page.held, text) }
  return []
}
const ofTheDay: FieldReader = () => {
  throw intraday()
}

const FIELDS: { readonly [tag: string]: FieldReader | undefined } = {
  '25': account,
  '25P': account,
  '28': number,
  '28C': number,
  '34F': ofTheDay,
  '13D': ofTheDay,
  '60F': opening,
  '60M': opening,
  '61': readLine,
  '86': information,
  '62F': closing,
  '62M': closing,
}

/** What the line says wins over what the information says of the same: its reference is the shorter one. */
function mergedInformation(line: BankLine, field: string): Partial<BankLine> {
  const { text, bankCode, ...information } = informationIn(field)
  return {
    ...information,
    ...present<BankLine>({ bankCode: line.bankCode ?? bankCode }),
    text: [text, line.text].filter((part) => part !== '').join('\n'),
  }
}

const intraday = () =>
  new FileRefused(
    'other-format',
    'It is a report of the day so far (MT942), whose lines are not final: send the statement (MT940 or camt.053).',
  )
