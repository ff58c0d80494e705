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
  type ReadOptions,
  type Source,
  type SourceCell,
} from '../../formats/reader.ts'
import { shortened } from '../../formats/shortened.ts'
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
  /** The company's own: they come before those that are shipped. */
  readonly own?: readonly BankProfile[]
  readonly encoding: string | undefined
  readonly limits: ReadLimits
}

/** @throws FileRefused where no profile, or more than one, fits the header */
export async function* readByProfile(file: ProfileFile): AsyncGenerator<BankItem> {
  const choice = profileChoice(file)
  const accounts = new Map<string, BankLine[]>()
  let profile: BankProfile | undefined
  let read: ReturnType<typeof rowReader> | undefined
  let count = 0
  const options: ReadOptions = { ...readOptionsFor(file, choice.chosen), headerSearch: choice }
  for await (const item of READERS[file.format](file.source, options, file.limits)) {
    if (item.is === 'columns' && !read) {
      profile = choice.of(item.columns)
      read = rowReader(profile, item.columns, choice.before(profile))
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
  if (!read) choice.refuse()
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

function readOptionsFor({ encoding }: ProfileFile, chosen: BankProfile | undefined): ReadOptions {
  const { Delimiter, Quote, Encoding, Sheet } = chosen?.File ?? {}
  const said = encoding ?? Encoding
  return {
    ...(Delimiter !== undefined && { delimiter: Delimiter }),
    ...(Quote !== undefined && { quote: Quote }),
    ...(said !== undefined && { encoding: said }),
    ...(Sheet !== undefined && { sheet: Sheet }),
  }
}

/** Which profile the file is read by, and what was said before its header. */
function profileChoice({ profile, own = [] }: ProfileFile) {
  const shipped = bankProfiles()
  const names = [...own, ...shipped].map(({ id }) => id).join(', ')
  const chosen = profile === undefined ? undefined : [...own, ...shipped].find(({ id }) => id === profile)
  if (profile !== undefined && !chosen)
    throw new FileRefused(
      'unknown-column',
      `The profile ${JSON.stringify(shortened(profile, 100))} is unknown. Available profiles: ${names}.`,
    )
  const missing = ({ Header }: BankProfile, columns: readonly string[]) => {
    const there = new Set(columns.map((column) => column.trim()))
    return Header.filter((column) => !there.has(column))
  }
  /** One's own before those that are shipped; of these, the ones that know more of the columns. */
  const fitting = (columns: readonly string[]): readonly BankProfile[] => {
    for (const some of chosen ? [[chosen]] : [own, shipped]) {
      const all = some.filter((one) => missing(one, columns).length === 0)
      const most = Math.max(...all.map(({ Header }) => Header.length))
      if (all.length > 0) return all.filter(({ Header }) => Header.length === most)
    }
    return []
  }
  const preamble: (readonly string[])[] = []
  const after = (label: string | undefined): string => {
    for (const cells of preamble) {
      const at = label === undefined ? -1 : cells.findIndex((cell) => cell.replace(/:$/, '') === label)
      const found = at === -1 ? undefined : cells.slice(at + 1).find((cell) => cell !== '')
      if (found !== undefined) return found
    }
    return ''
  }
  return {
    chosen,
    isHeader: (cells: readonly string[]) => fitting(cells).length > 0,
    passed: (cells: readonly string[]) => void preamble.push(cells),
    before: ({ Preamble }: BankProfile): Before => ({
      account: after(Preamble?.Account).replaceAll(/\s/g, ''),
      currency: after(Preamble?.Currency).toUpperCase(),
    }),
    of(columns: readonly string[]): BankProfile {
      const best = fitting(columns)
      if (best.length === 1) return best[0]!
      const ids = best.map(({ id }) => id).join(' and ')
      throw new FileRefused('unknown-column', `Its columns are those of ${ids}: choose a Profile.`)
    },
    /** Of a file that has rows, and none that is a header. */
    refuse(): void {
      if (preamble.length === 0) return
      if (!chosen)
        throw new FileRefused(
          'unknown-column',
          `It is not a bank statement, or of a bank that is not known by its columns: there are ${names}. Send camt.053, MT940, OFX or BAI2, or keep a profile of the bank.`,
        )
      const lacking = preamble.map((cells) => missing(chosen, cells))
      const [least = []] = lacking.sort((a, b) => a.length - b.length)
      throw new FileRefused(
        'unknown-column',
        `A file of ${chosen.Bank} has the columns ${least.join(', ')}, and this one has not.`,
      )
    },
  }
}

/** What is said before the header. */
interface Before {
  readonly account: string
  readonly currency: string
}

/** A row as a line; undefined where it is not booked; what is wrong with it. */
function rowReader(profile: BankProfile, columns: readonly string[], before: Before) {
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
      account: text(Columns.Account).replaceAll(/\s/g, '') || before.account,
      line: {
        place,
        bookingDate: day,
        amount,
        currency: text(Columns.Currency).toUpperCase() || before.currency || (Currency ?? ''),
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
