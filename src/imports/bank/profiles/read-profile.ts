/**
 * CSV and workbooks of banks, by profiles. Rows of an account become one statement, whatever their order. Its balances are those of the
 * column of balances, where lines and balances agree; else it has none.
 */
import { isEqual, negated, sum, type Decimal } from '../../decimal.ts'
import { readCsv } from '../../formats/csv.ts'
import {
  FileRefused,
  type Reader,
  type ReadLimits,
  type Source,
  type SourceCell,
} from '../../formats/reader.ts'
import { readXlsx } from '../../formats/xlsx/xlsx.ts'
import { dateIn } from '../../values/dates.ts'
import { numberIn } from '../../values/numbers.ts'
import { present, realReferences, type BankItem, type BankLine } from '../statement.ts'
import { bankProfiles, type BankProfile } from './profile.ts'

const READERS: Readonly<Record<'csv' | 'xlsx', Reader>> = { csv: readCsv, xlsx: readXlsx }
/** Rows are kept until all of an account are there. */
const MOST_LINES = 200_000

export interface ProfileFile {
  readonly source: Source
  readonly format: 'csv' | 'xlsx'
  /** Id of a profile; found by the header when it is not given. */
  readonly profile: string | undefined
  readonly encoding: string | undefined
  readonly limits: ReadLimits
}

/** @throws FileRefused where no profile, or more than one, fits the header */
export async function* readByProfile(file: ProfileFile): AsyncGenerator<BankItem> {
  const options = file.encoding === undefined ? {} : { encoding: file.encoding }
  const accounts = new Map<string, BankLine[]>()
  let profile: BankProfile | undefined
  let read: ReturnType<typeof rowReader> | undefined
  let count = 0
  for await (const item of READERS[file.format](file.source, options, file.limits)) {
    if (item.is === 'columns' && !read) {
      profile = profileFor(item.columns, file.profile)
      read = rowReader(profile, item.columns)
    }
    if (item.is !== 'row' || !read) continue
    const { number, cells, wrong } = item.row
    const found = wrong ?? read(number, cells)
    if (found === undefined) continue
    if (typeof found === 'string') {
      yield { is: 'unreadable', place: number, message: `Row ${number}: ${found}.` }
      continue
    }
    if (++count > MOST_LINES)
      throw new FileRefused('too-many-rows', `The file has more than ${MOST_LINES} lines: send it in parts.`)
    const name = JSON.stringify([found.account, found.line.currency])
    const own = accounts.get(name)
    if (own) own.push(found.line)
    else accounts.set(name, [found.line])
  }
  for (const [name, lines] of accounts) {
    const [account, currency] = JSON.parse(name) as [string, string]
    yield* statementOf({ account, currency, ...(profile && { profile: profile.id }) }, lines)
  }
}

function* statementOf(
  found: { readonly account: string; readonly currency: string; readonly profile?: string },
  lines: readonly BankLine[],
): Generator<BankItem> {
  const { currency } = found
  const balances = balancesOf(lines)
  const opening = balances && { opening: { amount: balances.opening, currency } }
  yield { is: 'statement', statement: { format: 'profile', ...found, ...opening } }
  for (const line of lines) yield { is: 'line', line }
  yield { is: 'end', end: balances ? { closing: { amount: balances.closing, currency } } : {} }
}

/** Of lines in the order of time, or against it; undefined where a balance is missing or does not follow from the one before. */
function balancesOf(lines: readonly BankLine[]): { opening: Decimal; closing: Decimal } | undefined {
  for (const ordered of [lines, [...lines].reverse()]) {
    const [first] = ordered
    if (first?.balanceAfter === undefined) return undefined
    const opening = sum([first.balanceAfter, negated(first.amount)])
    let at = opening
    const agree = ordered.every(({ amount, balanceAfter }) => {
      at = sum([at, amount])
      return balanceAfter !== undefined && isEqual(at, balanceAfter)
    })
    if (agree) return { opening, closing: at }
  }
  return undefined
}

function profileFor(columns: readonly string[], chosen: string | undefined): BankProfile {
  const there = new Set(columns.map((column) => column.trim()))
  const all = bankProfiles()
  const names = all.map(({ id }) => id).join(', ')
  const missing = ({ Header }: BankProfile) => Header.filter((column) => !there.has(column))
  if (chosen !== undefined) {
    const own = all.find(({ id }) => id === chosen)
    if (!own)
      throw new FileRefused(
        'unknown-column',
        `There is no profile of this name. Available profiles: ${names}.`,
      )
    const lacking = missing(own)
    if (lacking.length === 0) return own
    throw new FileRefused(
      'unknown-column',
      `A file of ${own.Bank} has the columns ${lacking.join(', ')}, and this one has not.`,
    )
  }
  const fitting = all.filter((one) => missing(one).length === 0)
  const most = Math.max(...fitting.map(({ Header }) => Header.length))
  const best = fitting.filter(({ Header }) => Header.length === most)
  if (best.length === 1) return best[0]!
  throw new FileRefused(
    'unknown-column',
    best.length === 0
      ? `It is not a bank statement, or of a bank that is not known by its columns: there are ${names}. Send camt.053, MT940, OFX or BAI2.`
      : `Its columns are those of ${best.map(({ id }) => id).join(' and ')}: choose a Profile.`,
  )
}

/** A row as a line; undefined where it is not booked; what is wrong with it. */
function rowReader(profile: BankProfile, columns: readonly string[]) {
  const { Columns, Currency, Booked } = profile
  const places = new Map(columns.map((column, place) => [column.trim(), place]))
  return (
    place: number,
    cells: readonly SourceCell[],
  ): { account: string; line: BankLine } | string | undefined => {
    const text = (column: string | undefined): string => {
      const cell = column === undefined ? undefined : cells[places.get(column) ?? -1]
      return (cell === undefined || cell === null ? '' : typeof cell === 'string' ? cell : cell.text).trim()
    }
    if (Booked && places.has(Booked.Column) && !Booked.Equals.includes(text(Booked.Column))) return undefined
    const day = dayIn(profile, text(Columns.BookingDate))
    if (day === undefined) return `${Columns.BookingDate} must be a day as ${profile.Date}`
    const amount = amountIn(profile, text)
    if (amount === undefined) return `it has no amount with ${profile.Decimal} before decimals`
    const number = (column: string | undefined) => numberIn(text(column), { decimal: profile.Decimal })
    return {
      account: text(Columns.Account).replaceAll(/\s/g, ''),
      line: {
        place,
        bookingDate: day,
        amount,
        currency: text(Columns.Currency).toUpperCase() || (Currency ?? ''),
        bankReferences: realReferences(text(Columns.Reference)),
        text: Columns.Text.map(text).filter(Boolean).join('\n'),
        ...present<BankLine>({
          valueDate: dayIn(profile, text(Columns.ValueDate)),
          balanceAfter: number(Columns.Balance),
          endToEndId: realReferences(text(Columns.EndToEndId))[0],
          mandateId: text(Columns.MandateId),
          structuredReference: text(Columns.Structured),
          counterpartyName: text(Columns.Name),
          counterpartyAccount: text(Columns.CounterpartyAccount).replaceAll(/\s/g, ''),
          counterpartyBic: text(Columns.CounterpartyBic),
          bankCode: text(Columns.Code),
        }),
      },
    }
  }
}

/** A time after the day is left out. */
const dayIn = ({ Date: format }: BankProfile, text: string): string | undefined =>
  dateIn(text.replace(/[ T]\d{1,2}:\d{2}.*$/, ''), format) ?? dateIn(text.slice(0, 10), 'YYYY-MM-DD')

function amountIn(profile: BankProfile, text: (column: string | undefined) => string): Decimal | undefined {
  const { Columns, Debits = [], IsInverse } = profile
  const number = (column: string | undefined) => numberIn(text(column), { decimal: profile.Decimal })
  const fee = number(Columns.Fee)
  if (Columns.Amount === undefined) {
    const [credit, debit] = [number(Columns.Credit), number(Columns.Debit)]
    return credit === undefined && debit === undefined
      ? undefined
      : sum([credit ?? '0', negated(debit ?? '0')])
  }
  const amount = number(Columns.Amount)
  if (amount === undefined) return undefined
  const isOut = Columns.Sign === undefined ? IsInverse === true : Debits.includes(text(Columns.Sign))
  return sum([isOut ? negated(amount) : amount, negated(fee ?? '0')])
}
