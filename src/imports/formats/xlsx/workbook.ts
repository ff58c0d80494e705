/** What a workbook says of its sheets and days, and which of them is read. */
import { FileRefused, type Notice, type ReadOptions } from '../reader.ts'
import type { Archive } from './archive.ts'
import { relationships, workbookPath } from './package.ts'
import { readPart } from './whole-part.ts'

export interface Sheet {
  readonly name: string
  readonly hidden: boolean
  /** Its part; undefined: a chart or a macro sheet, which has no rows. */
  readonly path: string | undefined
}

export interface Workbook {
  readonly sheets: readonly Sheet[]
  /** Whether days are counted from 1904, as on the Mac, rather than from 1900. */
  readonly from1904: boolean
  readonly sharedStrings: string | undefined
  readonly styles: string | undefined
}

/** Throws `FileRefused`. */
export async function openWorkbook(archive: Archive): Promise<Workbook> {
  const path = await workbookPath(archive)
  const parts = await relationships(archive, path)
  const partOf = (type: string) =>
    parts.find((part) => part.type === type && archive.has(part.target))?.target
  const sheets: Sheet[] = []
  let from1904 = false
  await readPart(archive, path, {
    open(element, attributes) {
      if (element === 'workbookPr') from1904 = /^(?:1|true|on)$/.test(attributes['date1904'] ?? '')
      if (element !== 'sheet') return
      const part = parts.find(({ id }) => id === attributes['id'])
      sheets.push({
        name: attributes['name'] ?? '',
        hidden: /^(?:hidden|veryHidden)$/.test(attributes['state'] ?? ''),
        path: part?.type === 'worksheet' ? part.target : undefined,
      })
    },
  })
  return { sheets, from1904, sharedStrings: partOf('sharedStrings'), styles: partOf('styles') }
}

export interface ChosenSheet {
  readonly name: string
  readonly path: string
  readonly notice?: Notice
}

/** The sheet that is named, else the first that is visible. Throws `FileRefused` (`unknown-sheet`). */
export function chosenSheet({ sheets }: Workbook, { sheet: wanted }: ReadOptions): ChosenSheet {
  const withRows = sheets.filter((sheet): sheet is Sheet & { path: string } => sheet.path !== undefined)
  const visible = withRows.filter(({ hidden }) => !hidden)
  const chosen = wanted === undefined ? visible[0] : withRows.find(({ name }) => name === wanted)
  if (!chosen)
    throw new FileRefused(
      'unknown-sheet',
      wanted === undefined
        ? 'The workbook has no visible sheet with rows: name the Sheet.'
        : `The workbook has no sheet ${JSON.stringify(wanted)}; it has ${names(withRows)}.`,
    )
  if (wanted !== undefined || visible.length === 1) return chosen
  return {
    ...chosen,
    notice: {
      code: 'sheet-chosen',
      message: `The sheet ${JSON.stringify(chosen.name)} is read, the first of ${names(visible)}.`,
    },
  }
}

const names = (sheets: readonly Sheet[]): string =>
  sheets
    .slice(0, 20)
    .map(({ name }) => JSON.stringify(name))
    .join(', ')
