/** Columns of fields that the service assigns, such as `CreatedAt`: exports have them, and no import writes them. */
import { STANDARD_FIELDS, type ObjectDefinition } from '../../domain/definition.ts'
import type { Notice } from '../formats/reader.ts'

/** By the names of fields, without regard to case. Not `Id`, by which rows are recognized. */
export function assignedColumns({ fields }: ObjectDefinition, columns: readonly string[]): readonly string[] {
  const assigned = new Set(
    [...STANDARD_FIELDS, ...fields]
      .filter(({ name, readOnly }) => readOnly && name !== 'Id')
      .map(({ name }) => name.toLowerCase()),
  )
  for (const { name, readOnly } of fields) if (!readOnly) assigned.delete(name.toLowerCase())
  return columns.filter((column) => assigned.has(column.trim().toLowerCase()))
}

/** What is said of those that nothing reads. */
export const passedOver = (columns: readonly string[]): Notice[] =>
  columns.map((column) => ({
    code: 'column-assigned',
    message: `${column.trim()} is assigned by the service: the column is passed over.`,
  }))
