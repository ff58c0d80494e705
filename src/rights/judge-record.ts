/**
 * Whether one record, as its events tell it, fulfils a filter. The records that the filter's paths lead to are read from
 * their streams, so the answer never lags behind a write.
 */
import type { Definitions, ObjectDefinition } from '../domain/definition.ts'
import { recordDocument } from '../domain/records/document.ts'
import type { Company } from '../domain/events/event.ts'
import type { Filter } from '../domain/filter/ast.ts'
import { matches } from '../domain/filter/evaluate.ts'
import type { Fields } from '../domain/json.ts'
import type { RecordState } from '../domain/records/record.ts'

export interface JudgeRecord {
  readonly definitions: Definitions
  readonly states: { load(company: Company, key: string): Promise<RecordState> }
}

export interface Judged {
  readonly company: Company
  readonly definition: ObjectDefinition
  readonly key: string
  readonly state: RecordState
}

/** A path over lookups ends as the port `ReadModels` says of lists: also a deleted record shows its display field. */
export async function fulfils(
  { definitions, states }: JudgeRecord,
  filter: Filter,
  { company, definition, key, state }: Judged,
): Promise<boolean> {
  const known = new Map<string, RecordState>([[key, state]])
  for (;;) {
    const missing = new Set<string>()
    const stateOf = (looked: string) => {
      const found = known.get(looked)
      if (!found) missing.add(looked)
      return found
    }
    const displayOf = (object: string, looked: string) => {
      const display = definitions.get(object)?.display ?? ''
      return stateOf(looked)?.fields[display] ?? null
    }
    const documentOf = (
      of: ObjectDefinition,
      looked: string,
      { fields, createdAt, modifiedAt }: RecordState,
    ) =>
      recordDocument({ definition: of, definitions, key: looked, fields, createdAt, modifiedAt, displayOf })
    const resolve = (object: string, looked: string): Fields | undefined => {
      const found = stateOf(looked)
      const target = definitions.get(object)
      return found?.status === 'live' && target ? documentOf(target, looked, found) : undefined
    }
    const verdict = matches(filter, documentOf(definition, key, state), resolve)
    // Asked again until nothing is missing: each turn knows one more step of the longest path.
    if (missing.size === 0) return verdict
    for (const looked of missing) known.set(looked, await states.load(company, looked))
  }
}
