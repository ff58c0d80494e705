/**
 * Days as people write them: `3-4-2029`, `04/03/29`, `20290403`, `3 apr. 2029`. Which of the parts is the day is decided
 * by all days of a column (`column-evidence.ts`), never by one of them.
 */
import { isDate } from '../../domain/fields/dates.ts'
import { monthNamed } from './month-names.ts'

/** The order of the parts; `-` stands for any of `-`, `/`, `.` and blank. */
export const DATE_FORMATS = [
  'YYYY-MM-DD',
  'DD-MM-YYYY',
  'MM-DD-YYYY',
  'DD-MM-YY',
  'MM-DD-YY',
  'YY-MM-DD',
  'YYYYMMDD',
  'DDMMYYYY',
  'MMDDYYYY',
  'DD-MMM-YYYY',
  'DD-MMM-YY',
  'MMM-DD-YYYY',
] as const

export type DateFormat = (typeof DATE_FORMATS)[number]

/** The first year that two digits stand for: 1970 makes `70` to 1970 and `69` to 2069. */
export const DEFAULT_CENTURY = 1970

interface Parts {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** The format that a profile names by its own spelling, such as `D/M/YY`; undefined when it is not known. */
export function dateFormatNamed(text: string): DateFormat | undefined {
  const parts = text.toUpperCase().split(/[-/. ]+/)
  const wanted = parts.map((part) => (part === 'D' ? 'DD' : part === 'M' ? 'MM' : part)).join('-')
  return DATE_FORMATS.find((format) => format === wanted)
}

/** The day as `YYYY-MM-DD`; undefined when the text is not in this format, or there is no such day. */
export function dateIn(text: string, format: DateFormat, century = DEFAULT_CENTURY): string | undefined {
  const parts = partsIn(text, format, century)
  if (!parts) return undefined
  const pad = (value: number, width: number) => String(value).padStart(width, '0')
  const date = `${pad(parts.year, 4)}-${pad(parts.month, 2)}-${pad(parts.day, 2)}`
  return isDate(date) ? date : undefined
}

/** Every format that the text has the form of, whether there is such a day or not: 30-02-2029 has day before month. */
export function dateFormatsOf(text: string): readonly DateFormat[] {
  return DATE_FORMATS.filter((format) => {
    const parts = partsIn(text, format, DEFAULT_CENTURY)
    return parts && parts.month >= 1 && parts.month <= 12 && parts.day >= 1 && parts.day <= 31
  })
}

/** A time after the day, as exports of timestamps have it, is left to the timestamp. */
const SEPARATED = /^(\d{1,4})([-/. ])\s*(\d{1,2}|\p{L}{3,10})\.?\2?\s*(\d{1,4})$/u
const MONTH_FIRST = /^(\p{L}{3,10})\.?[-/. ]\s*(\d{1,2}),?[-/. ]?\s*(\d{4})$/u
const COMPACT = /^\d{8}$/

function partsIn(text: string, format: DateFormat, century: number): Parts | undefined {
  const trimmed = text.trim()
  if (!format.includes('-')) return COMPACT.test(trimmed) ? compactParts(trimmed, format) : undefined
  const match = (format === 'MMM-DD-YYYY' ? MONTH_FIRST : SEPARATED).exec(trimmed)
  if (!match) return undefined
  const texts = format === 'MMM-DD-YYYY' ? match.slice(1) : [match[1]!, match[3]!, match[4]!]
  let [year, month, day] = [-1, -1, -1]
  for (const [i, name] of format.split('-').entries()) {
    const part = texts[i]!
    if (name === 'MMM') month = monthNamed(part) ?? -1
    else if (!/^\d+$/.test(part)) return undefined
    else if (name === 'YYYY') year = part.length === 4 ? Number(part) : -1
    else if (name === 'YY') year = part.length === 2 ? fullYear(Number(part), century) : -1
    else if (part.length > 2) return undefined
    else if (name === 'MM') month = Number(part)
    else day = Number(part)
  }
  return year < 0 || month < 0 ? undefined : { year, month, day }
}

function compactParts(text: string, format: DateFormat): Parts {
  const part = (name: string) => {
    const from = format.indexOf(name)
    return Number(text.slice(from, from + name.length))
  }
  return { year: part('YYYY'), month: part('MM'), day: part('DD') }
}

export function fullYear(digits: number, century: number): number {
  const year = Math.floor(century / 100) * 100 + digits
  return year < century ? year + 100 : year
}
