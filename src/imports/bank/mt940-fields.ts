/** The fields of MT940: balances, lines of statements, and what banks write into the information for the owner. */
import { isDate } from '../../domain/fields/dates.ts'
import { isZero, negated, plainDecimal, type Decimal } from '../decimal.ts'
import { present, realReference, realReferences, type Balance, type BankLine } from './statement.ts'

/** `C120131EUR5138,61` of the fields 60 to 65. */
export function balanceIn(text: string): Balance | undefined {
  const match = /^\s*([CD])\s*(\d{6})\s*([A-Z]{3})\s*([\d.,]+)/.exec(text)
  if (!match) return undefined
  const amount = amountIn(match[4]!)
  const day = dayIn(match[2]!)
  if (amount === undefined) return undefined
  return {
    amount: match[1] === 'D' ? negated(amount) : amount,
    currency: match[3]!,
    ...(day && { date: day.date }),
  }
}

/** A comma is the decimal sign; some banks write a point, and others group by it. */
function amountIn(text: string): Decimal | undefined {
  const plain = text.includes(',') ? text.replaceAll('.', '').replace(',', '.') : text
  return plainDecimal(plain.replace(/\.$/, ''))
}

interface Day {
  readonly date: string
  /** The day does not exist in its month, as 30 February: the last of the month is taken. */
  readonly clamped: boolean
}

/** `YYMMDD`: 80 to 99 are of the last century (SWIFT). */
function dayIn(text: string): Day | undefined {
  const year = Number(text.slice(0, 2))
  return clampedDay(year >= 80 ? 1900 + year : 2000 + year, text.slice(2))
}

function clampedDay(year: number, monthAndDay: string): Day | undefined {
  const [month, day] = [monthAndDay.slice(0, 2), Number(monthAndDay.slice(2))]
  if (Number(month) < 1 || Number(month) > 12 || day < 1 || day > 31) return undefined
  for (let last = day; ; last--) {
    const date = `${year}-${month}-${String(last).padStart(2, '0')}`
    if (isDate(date)) return { date, clamped: last !== day }
  }
}

/** The entry day has no year: it is the one nearest to the value day. */
function entryDay(monthAndDay: string, value: string): Day | undefined {
  const year = Number(value.slice(0, 4))
  const away = (day: Day) => Math.abs(Date.parse(day.date) - Date.parse(value))
  return [year - 1, year, year + 1]
    .map((one) => clampedDay(one, monthAndDay))
    .filter((day) => day !== undefined)
    .sort((a, b) => away(a) - away(b))[0]
}

const LINE =
  /^\s*(\d{6})\s*(\d{4})?\s*(R?[CD]|E[CD])([A-Z])?\s*([\d.]*,?\d*)\s*([NSF][A-Z0-9]{3})?([^\n]*)(?:\n([\s\S]*))?$/

export interface LineField {
  readonly line: Omit<BankLine, 'place' | 'currency' | 'text'>
  readonly clamped: boolean
  /** The customer's reference, and what the bank adds below the line. */
  readonly more: string
}

/** Field 61; undefined when it cannot be read. A reversed debit comes in, a reversed credit goes out. */
export function lineIn(text: string): LineField | undefined {
  const match = LINE.exec(text.trimEnd())
  if (!match) return undefined
  const [, valueText = '', entryText, mark = '', , amountText = '', code, rest = '', below = ''] = match
  const amount = /\d/.test(amountText) ? amountIn(amountText) : undefined
  const value = dayIn(valueText)
  if (amount === undefined || !value) return undefined
  const entry = entryText ? entryDay(entryText, value.date) : undefined
  const [customer = '', ...bank] = rest.split('//')
  const goesOut = mark === 'D' || mark === 'RC' || mark === 'ED'
  return {
    line: {
      bookingDate: (entry ?? value).date,
      valueDate: value.date,
      amount: goesOut && !isZero(amount) ? negated(amount) : amount,
      bankReferences: realReferences(bank.join('//')),
      ...present<BankLine>({
        bankCode: code,
        isReversal: mark.startsWith('R') ? true : undefined,
        endToEndId: realReference(customer),
      }),
    },
    clamped: value.clamped || (entry?.clamped ?? false),
    more: below.trim(),
  }
}

/** Field 86 in the forms that banks give it; what has none is text. */
export function informationIn(field: string): Partial<BankLine> & { readonly text: string } {
  const joined = field.replaceAll('\n', '')
  const coded = /^(\d{3})([?<>~^@`|+\\])(?=\d\d)/.exec(joined)
  if (coded) return codedInformation(joined.slice(3), coded[2]!, coded[1]!)
  if (/^\/[A-Z]{3,4}\//.test(joined)) return slashInformation(joined)
  return { text: field.trim() }
}

/** `?20…?32…` of banks in Germany and around; within the text `EREF+`, `MREF+`, `SVWZ+` of SEPA. */
function codedInformation(
  field: string,
  separator: string,
  code: string,
): Partial<BankLine> & { text: string } {
  const parts = new Map<string, string>()
  for (const part of field.split(separator)) {
    const number = part.slice(0, 2)
    if (/^\d\d$/.test(number)) parts.set(number, (parts.get(number) ?? '') + part.slice(2))
  }
  const among = (...ranges: readonly (readonly [number, number])[]) =>
    ranges
      .flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, i) => String(from + i)))
      .map((number) => parts.get(number) ?? '')
      .join('')
  const purpose = among([20, 29], [60, 63])
  const sepa = sepaParts(purpose)
  return {
    text:
      (sepa.get('SVWZ') ?? (sepa.size > 0 ? '' : purpose)).trim() ||
      purpose.trim() ||
      (parts.get('00') ?? '').trim(),
    ...present<BankLine>({
      bankCode: code,
      counterpartyName: `${parts.get('32') ?? ''}${parts.get('33') ?? ''}`.trim(),
      counterpartyAccount: (sepa.get('IBAN') ?? parts.get('31') ?? parts.get('38'))?.replaceAll(/\s/g, ''),
      counterpartyBic: sepa.get('BIC') ?? parts.get('30')?.trim(),
      endToEndId: realReference(sepa.get('EREF')),
      mandateId: realReference(sepa.get('MREF')),
    }),
  }
}

function sepaParts(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const pieces = text.split(/(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|IBAN|BIC)\+/)
  for (let i = 1; i < pieces.length; i += 2) found.set(pieces[i]!, pieces[i + 1]!.trim())
  return found
}

const SLASH_WORDS =
  /\/(TRTP|IBAN|BIC|NAME|REMI|EREF|MARF|CSID|ORDP|BENM|ADDR|ISDT|PREF|PURP|SVCL|RTRN|RTYP|CNTP|ID|TR|ULTD|ULTC|BUSP|TRCD|CREF|IREF)\//

/** `/TRTP/…/IBAN/…/NAME/…/REMI/…` of banks in the Netherlands. */
function slashInformation(field: string): Partial<BankLine> & { text: string } {
  const parts = new Map<string, string>()
  const pieces = field.split(SLASH_WORDS)
  for (let i = 1; i < pieces.length; i += 2) parts.set(pieces[i]!, pieces[i + 1]!.trim())
  const [account, bic, name] = (parts.get('CNTP') ?? '').split('/')
  const remittance = parts.get('REMI')?.replace(/^\/?(?:USTD|STRD\/[^/]*)\/\/?/, '')
  const reason = parts.get('RTRN')
  return {
    text: remittance ?? field,
    ...present<BankLine>({
      counterpartyAccount: parts.get('IBAN') ?? account,
      counterpartyBic: parts.get('BIC') ?? bic,
      counterpartyName: parts.get('NAME') ?? name,
      endToEndId: realReference(parts.get('EREF')),
      mandateId: realReference(parts.get('MARF')),
      structuredReference: /^\/?STRD\/[^/]*\/([^/]+)/.exec(parts.get('REMI') ?? '')?.[1],
      returnReason: reason,
      isReversal: reason === undefined ? undefined : true,
    }),
  }
}
