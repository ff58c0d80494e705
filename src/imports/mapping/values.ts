/**
 * From a cell to the JSON value that a client would send for the field. What is wrong is said without the cell's text: faults
 * are kept in events, where no cell may be.
 */
import type { FieldDefinition } from '../../domain/definition.ts'
import { isDate, utcTimestamp } from '../../domain/fields/dates.ts'
import type { Json } from '../../domain/json.ts'
import type { SourceCell, TypedCell } from '../formats/reader.ts'
import type { Formats } from './mapping.ts'
import { plainDecimal } from '../decimal.ts'
import { dateFormatNamed, dateIn } from '../values/dates.ts'
import { numberIn } from '../values/numbers.ts'
import { exactNumber } from './exact-number.ts'
import { utcOf } from './zoned-time.ts'

/** What is wrong with a cell, in words that follow the field's name. */
export class CellFault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

const fault = (message: string) => new CellFault(message)
const TRUE = ['true', 'yes', '1']
const FALSE = ['false', 'no', '0']

/** The text that a cell shows. */
export const textOf = (cell: SourceCell): string =>
  cell === null ? '' : typeof cell === 'string' ? cell : (cell.shown ?? cell.text)

/** @param cell not empty; `format`: the pattern of this field's dates */
export function valueOf(
  field: FieldDefinition,
  cell: string | TypedCell,
  formats: Formats,
  format?: string,
): Json | CellFault {
  if (typeof cell !== 'string' && cell.wrong !== undefined) return fault(cell.wrong)
  if (typeof cell !== 'string' && cell.kind === 'error') return fault('is an error in the file')
  switch (field.type) {
    case 'integer':
    case 'decimal':
      return numberOf(cell, formats)
    case 'boolean':
      return booleanOf(cell, formats)
    case 'date':
      return dateOf(cell, formats, format)
    case 'timestamp':
      return timestampFrom(cell, formats)
    case 'money':
    case 'json':
      return jsonOf(field, cell)
    default:
      return textValue(cell)
  }
}

/** An amount of money, by the same signs as other numbers. */
export const numberOf = (cell: string | TypedCell, formats: Formats): number | CellFault => {
  const { Decimal: decimal = '.', Group: group } = formats
  const isTyped = typeof cell !== 'string' && cell.kind === 'number'
  const plain = isTyped
    ? plainDecimal(cell.text)
    : numberIn(textOf(cell), { decimal, ...(group !== undefined && { group }) })
  if (plain === undefined) return fault(`must be a number ${signsOf(formats)}`)
  return exactNumber(plain) ?? fault('has more digits than can be kept exactly')
}

const signsOf = ({ Decimal = '.' }: Formats): string => `with ${Decimal} before decimals`

function textValue(cell: string | TypedCell): Json | CellFault {
  if (typeof cell === 'string' || cell.kind !== 'number' || cell.shown !== undefined) return textOf(cell)
  return /e/i.test(cell.text) ? fault('is a number that was shortened before it got here') : cell.text
}

function booleanOf(cell: string | TypedCell, { True = TRUE, False = FALSE }: Formats): boolean | CellFault {
  if (typeof cell !== 'string' && cell.kind === 'boolean') return cell.text === 'true'
  const text = textOf(cell).trim().toLowerCase()
  const isOneOf = (words: readonly string[]) => words.some((word) => word.toLowerCase() === text)
  if (isOneOf(True)) return true
  return isOneOf(False) ? false : fault(`must be one of ${[...True, ...False].filter(Boolean).join(', ')}`)
}

function dateOf(
  cell: string | TypedCell,
  { Date: patterns = [], Century }: Formats,
  format: string | undefined,
): string | CellFault {
  const text = textOf(typeof cell === 'string' ? cell : { ...cell, shown: cell.text }).trim()
  if (typeof cell !== 'string' && cell.kind === 'timestamp')
    return /T00:00:00/.test(text) ? text.slice(0, 10) : fault('must be a date without a time')
  const tried = format === undefined ? patterns : [format]
  for (const pattern of tried) {
    const named = dateFormatNamed(pattern)
    const date = named && dateIn(text, named, Century)
    if (date !== undefined) return date
  }
  if (isDate(text)) return text
  return fault(`must be a date that exists, as ${[...tried, 'YYYY-MM-DD'].join(' or ')}`)
}

function timestampFrom(cell: string | TypedCell, { TimeZone = 'UTC' }: Formats): string | CellFault {
  const text = (typeof cell === 'string' ? cell : cell.text)
    .trim()
    .replace(/^(\d{4}-\d{2}-\d{2}) (?=\d)/, '$1T')
  const utc = utcTimestamp(text) ?? (isDate(text) ? `${text}T00:00:00Z` : utcOf(text, TimeZone))
  return utc ?? fault('must be a timestamp that exists, as YYYY-MM-DDThh:mm:ssZ or without the Z')
}

function jsonOf({ type }: FieldDefinition, cell: string | TypedCell): Json | CellFault {
  try {
    return JSON.parse(typeof cell === 'string' ? cell : cell.text) as Json
  } catch {
    return fault(type === 'money' ? 'needs a column for Amount and one for Currency' : 'must be JSON')
  }
}
