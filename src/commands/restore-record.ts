/** Bring a deleted record back as it was. Restoring one that is not deleted changes nothing. */
import type { ObjectDefinition } from '../domain/definition.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { Draft } from './command.ts'

export function restoreRecord(
  { definition }: { readonly definition: ObjectDefinition },
  { status }: RecordState,
): Draft | undefined {
  return status === 'deleted' ? { type: `${definition.object}.restored`, data: {} } : undefined
}
