/** The styles of workbooks that are written here, by their numbers. */
import type { CellKind } from '../reader.ts'

export const TEXT_STYLE = 1
export const HEADER_STYLE = 2
export const KIND_STYLES: { readonly [kind in CellKind]?: number } = { date: 3, timestamp: 4, time: 5 }

const FIRST_ZEROS = 6
const LEAST_ZEROS = 2
const MOST_ZEROS = 30

/** The style that fills a number up with zeros to so many digits; undefined: there is none. */
export const zerosStyle = (digits: number): number | undefined =>
  digits >= LEAST_ZEROS && digits <= MOST_ZEROS ? FIRST_ZEROS + digits - LEAST_ZEROS : undefined

/** Own formats have numbers from 164 on; 49 is text. */
const FIRST_FORMAT = 164
const FORMATS = [
  'yyyy\\-mm\\-dd',
  'yyyy\\-mm\\-dd\\ hh:mm:ss',
  '[hh]:mm:ss',
  ...Array.from({ length: MOST_ZEROS - LEAST_ZEROS + 1 }, (_, i) => '0'.repeat(LEAST_ZEROS + i)),
]

const xf = (format: number, font = 0) =>
  `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"${font > 0 ? ' applyFont="1"' : ''}/>`

const font = (inside: string) => `<font>${inside}<sz val="11"/><name val="Calibri"/></font>`

const cellFormats = [xf(0), xf(49), xf(49, 1), ...FORMATS.map((_, i) => xf(FIRST_FORMAT + i))]

export const STYLES_PART = [
  '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">',
  `<numFmts count="${FORMATS.length}">`,
  ...FORMATS.map((code, i) => `<numFmt numFmtId="${FIRST_FORMAT + i}" formatCode="${code}"/>`),
  `</numFmts><fonts count="2">${font('')}${font('<b/>')}</fonts>`,
  '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
  `<cellXfs count="${cellFormats.length}">${cellFormats.join('')}</cellXfs></styleSheet>`,
].join('')
