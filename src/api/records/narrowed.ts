/** How a route that shows records holds to what its principal may see of them. */
import type { Response } from 'express'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import type { Action } from '../../rights/access.ts'
import type { Narrowing } from '../../rights/narrow-records.ts'
import { viewOf } from '../../rights/view.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { granted } from '../policy.ts'
import { principalOf } from '../http/request-context.ts'

export interface Narrowed {
  readonly definitions: Definitions
  readonly readModels: ReadModels
}

/**
 * What `narrowRecords` and `shownRecords` need to know of the principal. `action`: by which grant records are shown.
 * Requests are to be read with `view.definitions`, and lists asked with `view.query`.
 */
export function narrowingOf(
  { definitions, readModels }: Narrowed,
  response: Response,
  action: Action = 'read',
): Narrowing {
  const { company, access } = principalOf(response)
  return { view: viewOf(access, definitions, action), company, readModels, definitions }
}

/** @throws Refusal (403) for a lookup whose records the principal may not read at all */
export function checkExpand(
  response: Response,
  definition: ObjectDefinition,
  expand: readonly string[],
): void {
  for (const name of expand) {
    const target = definition.fields.find((field) => field.name === name)?.target ?? ''
    granted(response, target, 'read')
  }
}
