/** Cells as the XML of a sheet. */
import type { TypedCell } from '../reader.ts'
import { daySerial } from './serial-days.ts'
import { KIND_STYLES, TEXT_STYLE, zerosStyle } from './written-styles.ts'

/** The element of a cell that is not empty. `style` wins over that of its kind. */
export function writtenCell(place: string, cell: string | TypedCell, style?: number): string {
  if (typeof cell === 'string') return textCell(place, cell, style)
  const { kind, text, shown, wrong } = cell
  if (wrong !== undefined) return textCell(place, shown ?? text, style)
  if (kind === 'boolean') return `<c r="${place}" t="b"><v>${text === 'true' ? 1 : 0}</v></c>`
  if (kind === 'number') {
    const zeros = shown === undefined ? undefined : zerosStyle(shown.length)
    return numberCell(place, text, style ?? zeros)
  }
  const serial = kind === 'date' || kind === 'timestamp' || kind === 'time' ? daySerial(text) : undefined
  return serial === undefined
    ? textCell(place, shown ?? text, style)
    : numberCell(place, String(serial), style ?? KIND_STYLES[kind])
}

const textCell = (place: string, text: string, style = TEXT_STYLE): string =>
  `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${xmlText(text)}</t></is></c>`

const numberCell = (place: string, text: string, style: number | undefined): string =>
  `<c r="${place}"${style === undefined ? '' : ` s="${style}"`}><v>${text}</v></c>`

const ENTITIES: { readonly [char: string]: string } = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
}
/** What XML cannot hold, a return that it would change, and what would be taken for such an escape. */
const ESCAPES = /[\0-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g

/** Text for an element or an attribute; lone surrogates, which no encoding has, become U+FFFD. */
export const xmlText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(ESCAPES, (char) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`)
    .replaceAll(/[&<>"]/g, (char) => ENTITIES[char]!)
