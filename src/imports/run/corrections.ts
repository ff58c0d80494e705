/**
 * Rows of an error file that come back: each names the row that it corrects, and counts as that row. So a row of a file succeeds
 * once at most, however often its corrections are sent.
 */
import { derivedId } from '../../commands/support/identifiers.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Import } from '../import.ts'
import { ROW_COLUMN } from '../mapping/propose.ts'
import { textOf } from '../mapping/values.ts'
import { IMPORT } from '../objects.ts'
import type { StagedRow } from '../staging/staged-rows.ts'

/** Which command a row is. Keys of what it creates derive from both. */
export interface RowIdentity {
  readonly command: string
  readonly repeatedFrom: number
  /** It may have been done by another import. */
  readonly isCorrection: boolean
}

/** The name of a row in error files, and in the source of its events. */
export const nameOfRow = (importKey: string, row: number): string => `${importKey}#${row}`

export interface RowIdentities {
  /** Undefined when the row names one that there is not. */
  of(row: StagedRow): Promise<RowIdentity | undefined>
}

/** @param load an import of the company */
export function rowIdentities(
  whole: Import,
  at: number,
  load: (company: Company, key: string) => Promise<Import | undefined>,
): RowIdentities {
  const place = whole.read?.Columns.findIndex((column) => column.trim() === ROW_COLUMN) ?? -1
  const originals = new Map<string, Promise<Import | undefined>>()
  const own = (row: number): RowIdentity => ({
    command: derivedId(`${whole.key}/${row}`),
    repeatedFrom: at,
    isCorrection: false,
  })
  const originalOf = (key: string) => {
    const known =
      originals.get(key) ?? (isKeyOf(IMPORT, key) ? load(whole.company, key) : Promise.resolve(undefined))
    originals.set(key, known)
    return known
  }
  return {
    async of({ number, cells }) {
      const text = place < 0 ? '' : textOf(cells[place] ?? null).trim()
      if (text === '') return own(number)
      const [key = '', row = ''] = text.split('#')
      const original = /^\d{1,9}$/.test(row) ? await originalOf(key) : undefined
      if (!original || original.object !== whole.object) return undefined
      // What was never committed has done nothing.
      if (original.committedAt === undefined) return own(number)
      return {
        command: derivedId(`${key}/${Number(row)}`),
        repeatedFrom: original.committedAt,
        isCorrection: true,
      }
    },
  }
}
