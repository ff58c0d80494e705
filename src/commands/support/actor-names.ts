/** The name of the user or token that did something. */
import type { Company } from '../../domain/events/event.ts'
import { shownActorName } from '../../domain/records/actor-name.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import type { RecordStates } from './record-states.ts'

/** The name that a user, token or integration has now, also when it is deleted; the Key again where there is none. */
export async function nameOfActor(
  states: Pick<RecordStates, 'load'>,
  company: Company,
  actor: string,
): Promise<string> {
  const { fields } = objectOfKey(actor) === undefined ? { fields: {} } : await states.load(company, actor)
  return shownActorName(actor, (fields as { readonly Name?: unknown }).Name)
}
