/**
 * `?dryRun=true`: a write that is judged in full and stored in no part. The answer is the record as it would be; what the
 * service would assign (Id, number, times) is null.
 */
import type { Request } from 'express'
import type { DryRun } from '../../commands/command.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { invalid } from '../../domain/errors.ts'
import type { Fields } from '../../domain/json.ts'
import type { HeaderParameter } from '../http/header-parameters.ts'
import { parametersOf } from './list-query.ts'

/** @throws Invalid for any other parameter, and for any other value than true and false */
export function dryRunOf(request: Request, forHeaders: readonly HeaderParameter[]): DryRun | undefined {
  const { dryRun } = parametersOf(request, ['dryRun'], forHeaders)
  if (dryRun !== undefined && dryRun !== 'true' && dryRun !== 'false')
    throw invalid('dryRun', 'must be true or false')
  return dryRun === 'true' ? { taken: new Map() } : undefined
}

/** The fields that a new record is assigned. */
export function assignedTo({ numbering }: ObjectDefinition): readonly string[] {
  return ['Id', ...(numbering ? [numbering.field] : []), 'CreatedAt', 'ModifiedAt']
}

/** The record without what would be assigned. `json`: as it would be served. */
export function withoutAssigned(
  definition: ObjectDefinition,
  { created, unchanged }: Written,
  json: string,
): string {
  const record = JSON.parse(json) as Fields
  const assigned = created ? assignedTo(definition) : unchanged ? [] : ['ModifiedAt']
  const shown = Object.entries(record).map(([name, value]) => [name, assigned.includes(name) ? null : value])
  return JSON.stringify(Object.fromEntries(shown))
}
