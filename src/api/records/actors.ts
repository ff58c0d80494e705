/** Who did something, for people to read: the name that the user or token has now, also when it is deleted. */
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { Company } from '../../domain/events/event.ts'
import { objectOfKey } from '../../domain/records/key.ts'

export interface By {
  readonly Id: string
  /** The Key again where there is no name: what the service itself did, and principals of another company. */
  readonly Name: string
}

export type ActorName = (company: Company, actor: string) => Promise<By>

/** @param states by which users and tokens are known, also deleted ones */
export function actorNames(states: Pick<RecordStates, 'load'>): ActorName {
  return async (company, actor) => {
    const { fields } = objectOfKey(actor) === undefined ? { fields: {} } : await states.load(company, actor)
    const name = (fields as { readonly Name?: unknown }).Name
    return { Id: actor, Name: typeof name === 'string' && name !== '' ? name : actor }
  }
}
