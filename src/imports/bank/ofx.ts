/**
 * OFX 1 (SGML, whose elements need not be closed) and OFX 2 (XML): both are read as tags and the text after them, which
 * is all that the two have in common with what banks write.
 */
import { isDate } from '../../domain/fields/dates.ts'
import { plainDecimal, type Decimal } from '../decimal.ts'
import { boundedBytes } from '../formats/bounded-bytes.ts'
import { decodedText } from '../formats/encoding.ts'
import { DEFAULT_LIMITS, FileRefused } from '../formats/reader.ts'
import {
  present,
  realReferences,
  type BankItem,
  type BankLine,
  type Statement,
  type StatementEnd,
  type StatementReader,
} from './statement.ts'

const STATEMENTS: ReadonlySet<string> = new Set(['STMTRS', 'CCSTMTRS', 'INVSTMTRS'])
/** A tag and its text are at most so long. */
const LONGEST = 100_000

export const readOfx: StatementReader = async function* (bytes, options = {}, limits = DEFAULT_LIMITS) {
  const reading = ofxReading()
  for await (const [tag, text] of tagsOf(
    decodedText(boundedBytes(bytes, limits.bytes), options.encoding).text,
  )) {
    yield* reading.take(tag, text)
  }
  yield* reading.end()
}

/** Each tag in capitals, `/NAME` when it closes, with the text up to the next one. */
async function* tagsOf(parts: AsyncIterable<string>): AsyncGenerator<readonly [string, string], void> {
  let buffer = ''
  for await (const part of parts) {
    buffer += part
    let from = buffer.indexOf('<')
    for (;;) {
      const next = from < 0 ? -1 : buffer.indexOf('<', from + 1)
      if (next < 0) break
      yield tagIn(buffer.slice(from, next))
      from = next
    }
    buffer = from < 0 ? buffer.slice(-1) : buffer.slice(from)
    if (buffer.length > LONGEST)
      throw new FileRefused('cell-too-long', `The statement has a text of more than ${LONGEST} characters.`)
  }
  if (buffer.startsWith('<')) yield tagIn(buffer)
}

function tagIn(text: string): readonly [string, string] {
  if (/^<!DOCTYPE|^<!ENTITY/i.test(text))
    throw new FileRefused('doctype', 'The statement has a DOCTYPE, which is not read.')
  const match = /^<(\/?[\w.]+)[^>]*>([\s\S]*)$/.exec(text)
  return match ? [match[1]!.toUpperCase(), unescaped(match[2]!.trim())] : ['', '']
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

const unescaped = (text: string): string =>
  text.replaceAll(/&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,7}));/g, (whole, name?: string, code?: string) =>
    name ? ENTITIES[name]! : Number(code) <= 0x10ffff ? String.fromCodePoint(Number(code)) : whole,
  )

type Fields = Map<string, string>

function ofxReading() {
  let sawOfx = false
  let place = 0
  let head: Fields | undefined
  let line: Fields | undefined
  let balance: Fields | undefined
  let closing: Fields | undefined
  let begun = false
  let inOther = ''

  const begin = (): BankItem[] => {
    if (begun || !head) return []
    begun = true
    return [{ is: 'statement', statement: statementOf(head) }]
  }
  const finish = (): BankItem[] => {
    if (!head) return []
    const items: BankItem[] = [...begin(), { is: 'end', end: endOf(head, closing) }]
    head = closing = undefined
    begun = false
    return items
  }
  const endLine = (fields: Fields): BankItem[] => {
    place++
    const found = lineOf(fields, place, head?.get('CURDEF') ?? '')
    const item: BankItem =
      typeof found === 'string'
        ? { is: 'unreadable', place, message: `Transaction ${place} ${found}.` }
        : { is: 'line', line: found }
    return [...begin(), item]
  }
  const take = (tag: string, text: string): BankItem[] => {
    if (tag === 'OFX') sawOfx = true
    if (STATEMENTS.has(tag)) {
      const items = finish()
      head = new Map()
      return items
    }
    if (tag.startsWith('/') && STATEMENTS.has(tag.slice(1))) return finish()
    if (tag === 'STMTTRN') {
      const items = line ? endLine(line) : []
      line = new Map()
      head ??= new Map()
      return items
    }
    if (tag === '/STMTTRN' || tag === '/BANKTRANLIST') {
      const items = line ? endLine(line) : []
      line = undefined
      return items
    }
    if (tag === 'LEDGERBAL') balance = closing = new Map()
    else if (tag === '/LEDGERBAL' || tag === 'AVAILBAL') balance = undefined
    else if (
      tag === 'BANKACCTTO' ||
      tag === 'CCACCTTO' ||
      tag === 'PAYEE' ||
      tag === 'CURRENCY' ||
      tag === 'ORIGCURRENCY'
    )
      inOther = tag
    else if (tag === `/${inOther}`) inOther = ''
    else if (text !== '') {
      const into = line ?? balance ?? head
      const name = line && inOther !== '' ? `${inOther}/${tag}` : tag
      if (into && !into.has(name)) into.set(name, text)
    }
    return []
  }
  return {
    take,
    end(): BankItem[] {
      if (!sawOfx) throw new FileRefused('other-format', 'It is not an OFX statement: it has no element OFX.')
      const items = line ? endLine(line) : []
      return [...items, ...finish()]
    },
  }
}

function endOf(head: Fields, balance: Fields | undefined): StatementEnd {
  const amount = amountIn(balance?.get('BALAMT'))
  if (amount === undefined) return {}
  const date = dayIn(balance?.get('DTASOF'))
  return { closing: { amount, currency: head.get('CURDEF') ?? '', ...(date && { date }) } }
}

function statementOf(head: Fields): Statement {
  return {
    format: 'ofx',
    account: (head.get('ACCTID') ?? '').replaceAll(/\s/g, ''),
    ...present<Statement>({
      currency: head.get('CURDEF'),
      from: dayIn(head.get('DTSTART')),
      to: dayIn(head.get('DTEND')),
    }),
  }
}

function lineOf(fields: Fields, place: number, currency: string): BankLine | string {
  const amount = amountIn(fields.get('TRNAMT'))
  if (amount === undefined) return 'has no amount that can be read'
  const bookingDate = dayIn(fields.get('DTPOSTED'))
  if (!bookingDate) return 'has no day that can be read'
  const name = fields.get('NAME') ?? fields.get('PAYEE/NAME')
  return {
    place,
    bookingDate,
    amount,
    currency: fields.get('CURRENCY/CURSYM') ?? currency,
    bankReferences: realReferences(fields.get('FITID')),
    text: [fields.get('MEMO') ?? '', fields.get('MEMO') === undefined ? (name ?? '') : ''].join('').trim(),
    ...present<BankLine>({
      valueDate: dayIn(fields.get('DTAVAIL')),
      counterpartyName: name,
      counterpartyAccount: (fields.get('BANKACCTTO/ACCTID') ?? fields.get('CCACCTTO/ACCTID'))?.replaceAll(
        /\s/g,
        '',
      ),
      bankCode: fields.get('TRNTYPE'),
      endToEndId: realReferences(fields.get('REFNUM'), fields.get('CHECKNUM'))[0],
    }),
  }
}

/** Comma or point is the decimal sign, whichever comes last; OFX has no group signs, banks do. */
function amountIn(text: string | undefined): Decimal | undefined {
  if (text === undefined) return undefined
  const bare = text.replaceAll(/\s/g, '')
  const last = Math.max(bare.lastIndexOf(','), bare.lastIndexOf('.'))
  const whole = last < 0 ? bare : bare.slice(0, last).replaceAll(/[.,]/g, '')
  return plainDecimal(last < 0 ? whole : `${whole}.${bare.slice(last + 1)}`)
}

/** `20070315120000.000[-5:EST]`: the day that the bank writes, in its own zone. */
function dayIn(text: string | undefined): string | undefined {
  const match = /^(\d{4})-?(\d{2})-?(\d{2})/.exec(text?.trim() ?? '')
  if (!match) return undefined
  const date = `${match[1]}-${match[2]}-${match[3]}`
  return isDate(date) ? date : undefined
}
