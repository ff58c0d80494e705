/**
 * Numbers as people and programs write them: `1.234,50`, `1’234.50`, `(32.000,00)`, `€ 5,-`, `5-`. Which sign is the
 * decimal one is decided by all numbers of a column (`column-evidence.ts`), never by one of them.
 */
import { negated, plainDecimal, type Decimal } from '../decimal.ts'

export type DecimalSign = '.' | ','

export interface NumberFormat {
  readonly decimal: DecimalSign
  /** Between thousands; undefined: any blank or apostrophe, and the other of `.` and `,`. */
  readonly group?: string
}

/** What is left of a number without its sign, currency and blanks around it. */
interface Bare {
  readonly negative: boolean
  readonly body: string
}

const BLANK_GROUP = /[\s\u00a0\u202f'’]/g
/** A sign or a currency, on either side; minus may be U+2212. */
const PREFIX = /^(?:([+\-−])|[A-Z]{3}|kr\.?|zł|Kč|Fr\.?|R\$|\p{Sc})\s*/u
const SUFFIX = /\s*(?:([+\-−])|[A-Z]{3}|kr\.?|zł|Kč|Fr\.?|\p{Sc})$/u
const BODY = /^\d(?:[\d.,\s\u00a0\u202f'’]*\d)?$|^[.,]\d+$/

/** Whether a spreadsheet has shortened a longer number to this: its last digits are lost. */
export const isShortened = (text: string): boolean => /^[+-]?\d(?:[.,]\d+)?E\+\d{2,3}$/.test(text.trim())

/** The number, exactly; undefined when the text is not one in this format. */
export function numberIn(text: string, { decimal, group }: NumberFormat): Decimal | undefined {
  const bare = bareNumber(text)
  if (!bare) return undefined
  const groups = group ?? (decimal === '.' ? ',' : '.')
  const [whole = '', decimals, ...more] = bare.body.split(decimal)
  if (more.length > 0 || (decimals !== undefined && /\D/.test(decimals))) return undefined
  const digits = ungrouped(whole, groups)
  if (digits === undefined) return undefined
  const value = plainDecimal(decimals ? `${digits || '0'}.${decimals}` : digits)
  return value === undefined || !bare.negative ? value : negated(value)
}

/** The digits, where each group after the first has three; India's groups of two are taken too. */
function ungrouped(whole: string, group: string): string | undefined {
  const plain = whole.replaceAll(BLANK_GROUP, group || ' ')
  if (/^\d*$/.test(plain)) return plain
  const parts = plain.split(group || ' ')
  const [first = '', ...rest] = parts
  const fits = (part: string, i: number) => part.length === 3 || (part.length === 2 && i < rest.length - 1)
  if (!/^[1-9]\d{0,2}$/.test(first) || !/^\d+$/.test(parts.join('')) || !rest.every(fits)) return undefined
  return parts.join('')
}

/** What a single number says about the decimal sign: one of them, both are possible, or nothing as there is neither. */
export function decimalSignOf(text: string): DecimalSign | 'either' | 'none' | undefined {
  const bare = bareNumber(text)
  if (!bare) return undefined
  const possible = (['.', ','] as const).filter((decimal) => numberIn(text, { decimal }) !== undefined)
  if (possible.length === 0) return undefined
  if (!/[.,]/.test(bare.body)) return 'none'
  return possible.length === 2 ? 'either' : possible[0]!
}

function bareNumber(text: string): Bare | undefined {
  const parentheses = /^\((.*)\)$/s.exec(text.trim())
  // `5,-` is how amounts without cents are written by hand.
  let body = (parentheses?.[1] ?? text).trim().replace(/[.,][-–—]{1,2}(?=\D*$)/, '')
  const signs: string[] = parentheses ? ['-'] : []
  let currencies = 0
  for (const affix of [PREFIX, SUFFIX])
    for (let match = affix.exec(body); match && match[0] !== ''; match = affix.exec(body)) {
      if (match[1] === undefined) currencies++
      else signs.push(match[1])
      body = affix === PREFIX ? body.slice(match[0].length) : body.slice(0, -match[0].length)
    }
  if (signs.length > 1 || currencies > 1 || !BODY.test(body)) return undefined
  return { negative: signs.length === 1 && signs[0] !== '+', body }
}
