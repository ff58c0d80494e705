/** Who did something, for people to read: the name that the user or token has now, also when it is deleted. */
import { nameOfActor } from '../../commands/support/actor-names.ts'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { Company } from '../../domain/events/event.ts'
import { isStorable } from '../../domain/fields/types/rules.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import type { ReadModels } from '../../ports/read-models.ts'

export interface By {
  readonly Id: string
  /** The Key again where there is no name: what the service itself did, and principals of another company. */
  readonly Name: string
}

/** The Keys of the users and tokens that have this name or e-mail address, in any case; deleted ones are not found. */
export async function actorsNamed(
  {
    definitions,
    readModels,
  }: { readonly definitions: Definitions; readonly readModels: Pick<ReadModels, 'list'> },
  company: Company,
  name: string,
): Promise<readonly string[]> {
  if (name.length > MOST_LETTERS || !isStorable(name)) return []
  const text = name.replaceAll("'", "''")
  const named = async (object: string, filter: string) => {
    const definition = definitions.get(object)
    if (!definition) return []
    const query = {
      object,
      filter: parseFilter(filter, definition, definitions),
      sort: [],
      offset: 0,
      limit: MOST_NAMED,
      expand: [],
    }
    const { records } = await readModels.list(company, query)
    return records.map(({ key }) => key)
  }
  const users = named('user', `tolower(Name) eq '${text}' or tolower(Email) eq '${text}'`)
  return [...(await users), ...(await named('token', `tolower(Name) eq '${text}'`))].slice(0, MOST_NAMED)
}

/** How many users and tokens of one name are told apart. */
export const MOST_NAMED = 10

/** No name or e-mail address is longer. */
const MOST_LETTERS = 300

export type ActorName = (company: Company, actor: string) => Promise<By>

/** @param states by which users and tokens are known, also deleted ones */
export function actorNames(states: Pick<RecordStates, 'load'>): ActorName {
  return async (company, actor) => ({ Id: actor, Name: await nameOfActor(states, company, actor) })
}
