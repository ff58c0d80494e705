/** What a cell of a workbook holds, from its element `c`: its type, style and value as they are written. */
import { plainDecimal } from '../../decimal.ts'
import type { SourceCell } from '../reader.ts'
import type { NumberShape } from './number-formats.ts'
import { unescaped } from './plain-text.ts'
import { dayCell } from './serial-days.ts'
import type { SharedStrings } from './shared-strings.ts'

export interface WrittenCell {
  /** `n` when it is not written. */
  readonly type: string
  readonly style: number
  /** Of the element `v`; undefined when there is none. */
  readonly value: string | undefined
  /** Of the element `is`, read already. */
  readonly inline: string | undefined
  readonly hasFormula: boolean
}

export interface CellContext {
  readonly strings: SharedStrings
  readonly shapes: readonly NumberShape[]
  readonly from1904: boolean
}

/** So many digits a spreadsheet keeps of a number. */
const DIGITS = 15

const NEVER_CALCULATED: SourceCell = {
  kind: 'error',
  text: '',
  wrong: 'is a formula without a result: open the workbook, let it calculate, and save it',
}

export function sourceCell(cell: WrittenCell, context: CellContext): SourceCell {
  if (cell.inline !== undefined) return cell.inline
  const { value } = cell
  if (value === undefined || (value === '' && cell.type !== 'str'))
    return cell.hasFormula ? NEVER_CALCULATED : null
  switch (cell.type) {
    case 's':
      return context.strings.at(Number(value)) ?? missingText(value)
    case 'str':
    case 'inlineStr':
      return unescaped(value)
    case 'b':
      return { kind: 'boolean', text: /^(?:1|true)$/i.test(value.trim()) ? 'true' : 'false' }
    case 'e':
      return { kind: 'error', text: value, wrong: `is the error ${value}` }
    case 'd':
      return isoDay(value)
    default:
      return numberCell(value.trim(), context.shapes[cell.style] ?? {}, context.from1904)
  }
}

const missingText = (value: string): SourceCell => ({
  kind: 'error',
  text: value,
  wrong: 'refers to a text that the workbook does not have',
})

function numberCell(value: string, { shows, zeros }: NumberShape, from1904: boolean): SourceCell {
  const number = Number(value)
  if (value === '' || !Number.isFinite(number))
    return { kind: 'error', text: value, wrong: 'is marked as a number and is not one' }
  if (shows) return dayCell(number, shows, from1904)
  if (Number.isInteger(number) && Math.abs(number) >= 10 ** DIGITS)
    return {
      kind: 'number',
      text: plainDecimal(value) ?? value,
      wrong: `has more than ${DIGITS} digits, of which a spreadsheet keeps only the first: such numbers must be text`,
    }
  const text = shortest(number)
  const filled = zeros !== undefined && /^\d+$/.test(text) ? text.padStart(zeros, '0') : text
  return filled === text ? { kind: 'number', text } : { kind: 'number', text, shown: filled }
}

/** The number as a spreadsheet shows it: 0.1 + 0.2 is kept as 0.30000000000000004 and is 0.3. */
function shortest(number: number): string {
  if (Number.isInteger(number)) return String(number)
  const text = plainDecimal(number.toPrecision(DIGITS)) ?? String(number)
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text
}

/** `2021-01-01`, `2021-01-01T10:10:10.000` or a time alone, as strict workbooks write them. */
function isoDay(value: string): SourceCell {
  const match = /^(\d{4}-\d{2}-\d{2})?(?:T?(\d{2}:\d{2}:\d{2})(?:\.\d+)?Z?)?$/.exec(value.trim())
  const [, day, time] = match ?? []
  if (day !== undefined && time !== undefined) return { kind: 'timestamp', text: `${day}T${time}` }
  if (day !== undefined) return { kind: 'date', text: day }
  return time === undefined ? value : { kind: 'time', text: time }
}
