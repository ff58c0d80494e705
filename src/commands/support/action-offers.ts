/** What is known of someone who may want to act on a record: the inputs of `take-action.ts`. */
import type { ObjectDefinition, Transition } from '../../domain/definition.ts'
import type { Company } from '../../domain/events/event.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import type { RecordState } from '../../domain/records/record.ts'
import { needsAnother } from '../../domain/workflow.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { judgeOf, type JudgeRecord } from '../../rights/judge-record.ts'
import { stateChanges } from './state-changes.ts'
import type { Standing } from '../take-action.ts'

export interface StandingOf {
  readonly company: Company
  readonly definition: ObjectDefinition
  readonly key: string
  readonly state: RecordState
  readonly transition: Transition
  /** Key of the person who wants to act, by a login or by a token. */
  readonly person: string
  /** Names of its roles. */
  readonly roles: readonly string[]
}

export async function standingOf(
  judge: JudgeRecord & { readonly events: Pick<EventStore, 'read'> },
  { transition, person, roles, ...record }: StandingOf,
): Promise<Standing> {
  const { company, definition, key } = record
  const broughtBy = needsAnother(transition)
    ? stateChanges(definition, await judge.events.read(company, key)).at(-1)?.person
    : undefined
  // Read again each time: what its paths mean depends on the definitions of what is looked up.
  const condition = transition.condition && parseFilter(transition.condition, definition, judge.definitions)
  return {
    person,
    roles,
    broughtBy,
    fulfils: !condition || (await judgeOf(judge, record).fulfils(condition)),
  }
}
