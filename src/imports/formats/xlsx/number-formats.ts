/** What the number format of a cell makes of its number: a day, a time, digits with zeros before them. */
import type { Archive } from './archive.ts'
import { readPart } from './whole-part.ts'

export interface NumberShape {
  /** What it is shown as; undefined: a number. */
  readonly shows?: 'date' | 'timestamp' | 'time' | 'elapsed'
  /** Digits are filled up with zeros to so many: `00123` of the format `00000`. */
  readonly zeros?: number
}

const NUMBER: NumberShape = {}
/** Formats that every workbook has without naming them (ECMA-376, 18.8.30), East Asian ones included. */
const BUILT_IN: ReadonlyMap<number, NumberShape> = new Map([
  ...shapes('date', 14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58),
  ...shapes('time', 18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56),
  ...shapes('timestamp', 22),
  ...shapes('elapsed', 46),
])

function shapes(shows: NonNullable<NumberShape['shows']>, ...ids: number[]): [number, NumberShape][] {
  return ids.map((id) => [id, { shows }])
}

/** The shape of each style of the workbook's cells, by the style's number. Throws `FileRefused`. */
export async function cellShapes(
  archive: Archive,
  part: string | undefined,
): Promise<readonly NumberShape[]> {
  const custom = new Map<number, NumberShape>()
  const formats: number[] = []
  let inCells = false
  if (part !== undefined)
    await readPart(archive, part, {
      open(element, { numFmtId, formatCode }) {
        if (element === 'cellXfs') inCells = true
        else if (element === 'numFmt') custom.set(Number(numFmtId), shapeOf(formatCode ?? ''))
        else if (element === 'xf' && inCells) formats.push(Number(numFmtId ?? 0))
      },
      close(element) {
        if (element === 'cellXfs') inCells = false
      },
    })
  return formats.map((id) => custom.get(id) ?? BUILT_IN.get(id) ?? NUMBER)
}

/** What a format's code shows, by its first section. */
export function shapeOf(code: string): NumberShape {
  const zeros = /^0{2,30}$/.exec(code)
  if (zeros) return { zeros: code.length }
  const plain = code
    .replaceAll(/"[^"]*"|\\.|[_*]./g, '')
    .split(';')[0]!
    .replaceAll(/general|am\/pm|a\/p/gi, '')
  if (/\[(?:h+|m+|s+)\]/i.test(plain)) return { shows: 'elapsed' }
  const letters = plain.replaceAll(/\[[^\]]*\]/g, '').toLowerCase()
  const day = /[yd]|g{1,3}e/.test(letters) || (letters.includes('m') && !/[hs]/.test(letters))
  const time = /[hs]/.test(letters)
  return day ? { shows: time ? 'timestamp' : 'date' } : time ? { shows: 'time' } : NUMBER
}
