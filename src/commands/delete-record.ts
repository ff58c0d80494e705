/** Delete a record: lists forget it, its history stays, and it can be restored. */
import type { ObjectDefinition } from '../domain/definition.ts'
import type { Draft } from './command.ts'

export function deleteRecord({ definition }: { readonly definition: ObjectDefinition }): Draft {
  return { type: `${definition.object}.deleted`, data: {} }
}
