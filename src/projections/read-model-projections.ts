/** The projections behind the read models, in the order in which they need each other. They share a store, and move together. */
import type { Definitions } from '../domain/definition.ts'
import type { Projection } from './projection.ts'
import { recordsProjection } from './records.ts'
import { searchProjection } from './search.ts'

/** Their names. */
export const READ_MODEL_PROJECTIONS = ['records', 'search']

export function readModelProjections(definitions: Definitions): readonly Projection[] {
  return [recordsProjection(definitions), searchProjection(definitions)]
}
