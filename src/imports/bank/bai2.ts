/**
 * BAI2: records of comma-separated fields that end with `/` or with their line, continued by records 88. Amounts have no
 * point: they count the smallest unit of their currency.
 */
import { isDate } from '../../domain/fields/dates.ts'
import { decimalsOf } from '../../domain/fields/money.ts'
import { negated, written, type Decimal } from '../decimal.ts'
import { boundedBytes } from '../formats/bounded-bytes.ts'
import { decodedText } from '../formats/encoding.ts'
import { linesOf } from '../formats/lines.ts'
import { DEFAULT_LIMITS, FileRefused } from '../formats/reader.ts'
import { controlTotals, numberIn } from './bai2-totals.ts'
import {
  realReferences,
  type Balance,
  type BankItem,
  type Statement,
  type StatementReader,
} from './statement.ts'

const LONGEST_LINE = 100_000
/** Characters of a record with all that continues it. */
const LONGEST_RECORD = 1_000_000
const OPENING = '010'
const CLOSING = '015'

export const readBai2: StatementReader = async function* (bytes, options = {}, limits = DEFAULT_LIMITS) {
  const text = decodedText(boundedBytes(bytes, limits.bytes), options.encoding).text
  const reading = bai2Reading()
  for await (const record of recordsOf(linesOf(text, LONGEST_LINE))) yield* reading.take(record)
  yield* reading.end()
}

interface BaiRecord {
  readonly place: number
  readonly code: string
  text: string
  /** Itself, and those that continue it. */
  records: number
}

const RECORD = /^\s*(01|02|03|16|49|88|98|99),(.*)$/

async function* recordsOf(lines: AsyncIterable<string>): AsyncGenerator<BaiRecord, void> {
  let record: BaiRecord | undefined
  let place = 0
  for await (const line of lines) {
    place++
    // Several records may share a line, each but text ending with a stroke.
    for (const piece of line.split(/(?<=\/)\s*(?=(?:01|02|03|16|49|88|98|99),)/)) {
      if (piece.trim() === '') continue
      const match = RECORD.exec(piece)
      if (match?.[1] === '88' && record) {
        record.text = continued(record.text, match[2]!)
        record.records++
      } else if (match) {
        if (record) yield record
        record = { place, code: match[1]!, text: match[2]!.trimEnd(), records: 1 }
      } else if (record?.code === '16' || record?.code === '03') record.text += `\n${piece}`
      else throw notBai2(place)
      if (record && record.text.length > LONGEST_RECORD)
        throw new FileRefused(
          'cell-too-long',
          `The record of line ${record.place} has more than ${LONGEST_RECORD} characters.`,
        )
    }
  }
  if (record) yield record
}

/** A record that ends with a stroke goes on with the next field, one that does not goes on with its text. */
const continued = (text: string, more: string): string =>
  text.endsWith('/') ? `${text.slice(0, -1)},${more.trimEnd()}` : `${text}\n${more.trimEnd()}`

function bai2Reading() {
  const totals = controlTotals()
  let sawHeader = false
  let day: string | undefined
  let groupCurrency = 'USD'
  let currency = 'USD'
  let closing: Balance | undefined
  let begun = false

  const finish = (): BankItem[] => {
    if (!begun) return []
    begun = false
    return [{ is: 'end', end: closing ? { closing } : {} }]
  }
  const account = (record: BaiRecord): BankItem[] => {
    const items = finish()
    const [number = '', code = '', ...summaries] = fieldsOf(record)
    currency = code.trim() || groupCurrency
    const balances = balancesIn(summaries, currency, day)
    const opening = balances.get(OPENING)
    closing = balances.get(CLOSING)
    begun = true
    return [
      ...items,
      { is: 'statement', statement: { ...statementOf(number, currency, day), ...(opening && { opening }) } },
    ]
  }
  const line = (record: BaiRecord): BankItem[] => {
    const { place } = record
    const [code = '', amountText = '', funds = '', ...rest] = fieldsOf(record)
    const amount = amountIn(amountText, currency)
    const sign = signOf(code)
    if (amount === undefined || sign === undefined || !day || !begun)
      return [{ is: 'unreadable', place, message: `Line ${place}: the record 16 cannot be read.` }]
    if (sign === 'none') return []
    const [bank, customer, ...more] = rest.slice(fundsFields(funds, rest))
    return [
      {
        is: 'line',
        line: {
          place,
          bookingDate: day,
          amount: sign === 'credit' ? amount : negated(amount),
          currency,
          bankReferences: realReferences(bank),
          text: more.join(',').trim(),
          bankCode: code,
          ...(realReferences(customer)[0] !== undefined && { endToEndId: customer!.trim() }),
        },
      },
    ]
  }
  const meaning = (record: BaiRecord): BankItem[] => {
    if (record.code === '02') {
      const fields = fieldsOf(record)
      day = dayIn(fields[3])
      groupCurrency = fields[5]?.trim() || 'USD'
    } else if (record.code === '03') return account(record)
    else if (record.code === '16') return line(record)
    else if (record.code === '49') return finish()
    return []
  }
  return {
    take(record: BaiRecord): BankItem[] {
      if (!sawHeader && record.code !== '01') throw notBai2(record.place)
      sawHeader = true
      const fields = fieldsOf(record)
      const wrong = totals.take({ ...record, fields, amounts: amountsOf(record.code, fields) })
      return [...wrong.map(asWrong), ...meaning(record)]
    },
    end(): BankItem[] {
      if (!sawHeader) throw notBai2(1)
      return [...finish(), ...totals.end().map(asWrong)]
    },
  }
}

const statementOf = (number: string, currency: string, day: string | undefined): Statement => ({
  format: 'bai2',
  account: number.trim(),
  currency,
  ...(day && { from: day, to: day }),
})

/** Credits are 100 to 399 and debits 400 to 699; 890 is information without money. */
function signOf(code: string): 'credit' | 'debit' | 'none' | undefined {
  const number = Number(code)
  if (!/^\d{3}$/.test(code.trim())) return undefined
  if (number === 890) return 'none'
  if ((number >= 100 && number < 400) || (number >= 900 && number < 950)) return 'credit'
  return (number >= 400 && number < 700) || number >= 950
    ? 'debit'
    : number >= 700 && number < 750
      ? 'credit'
      : 'debit'
}

/** How many fields say when the money is there. */
function fundsFields(funds: string, rest: readonly string[]): number {
  if (funds === 'S') return 3
  if (funds === 'V') return 2
  return funds === 'D' ? 1 + 2 * Number(rest[0] ?? 0) : 0
}

/** Type, amount, count, funds; repeated. */
function* summariesIn(fields: readonly string[]): Generator<readonly [type: string, amount: string]> {
  for (let i = 0; i + 1 < fields.length;) {
    yield [fields[i]!.trim(), fields[i + 1]!]
    i += 4 + fundsFields((fields[i + 3] ?? '').trim(), fields.slice(i + 4))
  }
}

function balancesIn(
  fields: readonly string[],
  currency: string,
  date: string | undefined,
): ReadonlyMap<string, Balance> {
  const found = new Map<string, Balance>()
  for (const [type, text] of summariesIn(fields)) {
    const amount = amountIn(text, currency)
    if (amount !== undefined) found.set(type, { amount, currency, ...(date && { date }) })
  }
  return found
}

/** What the control total of an account adds up. */
function amountsOf(code: string, fields: readonly string[]): readonly bigint[] {
  const texts =
    code === '03'
      ? [...summariesIn(fields.slice(2))].map(([, amount]) => amount)
      : code === '16'
        ? [fields[1] ?? '']
        : []
  return texts.map((text) => numberIn(text) ?? 0n)
}

const asWrong = (message: string): BankItem => ({ is: 'wrong', message })

const fieldsOf = ({ text }: BaiRecord): readonly string[] => text.replace(/\/$/, '').split(',')

function amountIn(text: string, currency: string): Decimal | undefined {
  const match = /^\s*([+-]?)(\d{1,18})\s*$/.exec(text)
  if (!match) return undefined
  const value = BigInt(match[2]!)
  return written(match[1] === '-' ? -value : value, decimalsOf(currency) ?? 2)
}

function dayIn(text: string | undefined): string | undefined {
  const match = /^\s*(\d{2})(\d{2})(\d{2})\s*$/.exec(text ?? '')
  const date = match && `20${match[1]}-${match[2]}-${match[3]}`
  return date && isDate(date) ? date : undefined
}

const notBai2 = (line: number) =>
  new FileRefused(
    'damaged',
    `Line ${line} is not a record of BAI2: records begin with 01, 02, 03, 16, 49, 88, 98 or 99.`,
  )
