/** The workflow actions that lead on from a record's state, as one principal finds them: possible now, or why not. */
import { standingOf } from '../../commands/support/action-offers.ts'
import { refusalOf } from '../../commands/take-action.ts'
import type { ObjectDefinition, Transition } from '../../domain/definition.ts'
import type { Json } from '../../domain/json.ts'
import type { RecordState } from '../../domain/records/record.ts'
import { actionEvent, transitionsFrom } from '../../domain/workflow.ts'
import type { Principal } from '../../identity/principal.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { judgeOf, type JudgeRecord } from '../../rights/judge-record.ts'

export interface OfferedOn {
  readonly definition: ObjectDefinition
  readonly key: string
  readonly state: RecordState
}

export interface Offers {
  readonly Actions: readonly ReturnType<typeof shownAction>[]
  readonly Refused: readonly { readonly Action: string; readonly To: string; readonly Reason: string }[]
}

export async function offersOf(
  judge: JudgeRecord & { readonly events: Pick<EventStore, 'read'> },
  { company, person, roles, access }: Pick<Principal, 'company' | 'person' | 'roles' | 'access'>,
  record: OfferedOn,
): Promise<Offers> {
  const { definition, state } = record
  const { object, workflow } = definition
  const from = stateOf(definition, state)
  const Actions: Offers['Actions'][number][] = []
  const Refused: Offers['Refused'][number][] = []
  for (const transition of transitionsFrom(workflow!, from)) {
    const { action, to } = transition
    const refused = (Reason: string) => void Refused.push({ Action: action, To: to, Reason })
    const grant = access.grant(object, `workflow:${action}`)
    if (!(await judgeOf(judge, { company, ...record }).grantOn(grant))) {
      refused(`workflow:${action} ${object} is not granted to you`)
      continue
    }
    const standing = await standingOf(judge, { company, ...record, transition, person, roles })
    const refusal = refusalOf(definition, transition, standing, state.fields)
    if (refusal) refused(refusal.message)
    else Actions.push(shownAction(definition, from, transition))
  }
  return { Actions, Refused }
}

function shownAction(definition: ObjectDefinition, from: Json, transition: Transition) {
  return {
    Action: transition.action,
    From: from,
    To: transition.to,
    Event: actionEvent(definition, transition),
    RequiresComment: transition.requiresComment ?? false,
  }
}

export function stateOf({ workflow }: ObjectDefinition, { fields }: RecordState): Json {
  return fields[workflow?.field ?? ''] ?? null
}
