/** Who did something, for people to read: the name that the user or token has now, also when it is deleted. */
import { nameOfActor } from '../../commands/support/actor-names.ts'
import type { RecordStates } from '../../commands/support/record-states.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { Company } from '../../domain/events/event.ts'
import { isStorable } from '../../domain/fields/types/rules.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import { searchWords } from '../../domain/search/search-words.ts'
import type { ListQuery, ReadModels } from '../../ports/read-models.ts'

export interface By {
  readonly Id: string
  /** The Key again where there is no name: what the service itself did, and principals of another company. */
  readonly Name: string
}

/**
 * The Keys of the users and tokens that have this name or e-mail address, in any case; where none has, of those whose name
 * differs in its accents only. Deleted ones are not found.
 */
export async function actorsNamed(
  {
    definitions,
    readModels,
  }: { readonly definitions: Definitions; readonly readModels: Pick<ReadModels, 'list'> },
  company: Company,
  name: string,
): Promise<readonly string[]> {
  if (name.length > MOST_LETTERS || !isStorable(name)) return []
  const listed = (object: string, asked: Pick<ListQuery, 'filter' | 'words' | 'wordsIn'>, offset = 0) =>
    readModels.list(company, { object, ...asked, sort: [], offset, limit: PAGE, expand: [] })
  const named = async (object: string, filter: string) => {
    const definition = definitions.get(object)
    if (!definition) return []
    const { records } = await listed(object, { filter: parseFilter(filter, definition, definitions) })
    return records.map(({ key }) => key)
  }
  const text = name.replaceAll("'", "''")
  const users = await named('user', `tolower(Name) eq '${text}' or tolower(Email) eq '${text}'`)
  const exact = [...users, ...(await named('token', `tolower(Name) eq '${text}'`))]
  if (exact.length > 0) return exact.slice(0, MOST_NAMED)

  const words = searchWords(name)
  const wanted = words.join(' ')
  const found: string[] = []
  for (const object of words.length > 0 ? ['user', 'token'] : [])
    for (let offset = 0, total = 1; offset < total && found.length < MOST_NAMED; offset += PAGE) {
      const page = await listed(object, { words, wordsIn: ['Name'] }, offset)
      total = page.total
      for (const { key, json } of page.records) {
        const { Name } = JSON.parse(json) as { readonly Name: string }
        if (searchWords(Name).join(' ') === wanted) found.push(key)
      }
    }
  return found.slice(0, MOST_NAMED)
}

const PAGE = 100

/** How many users and tokens of one name are told apart. */
export const MOST_NAMED = 10

/** No name or e-mail address is longer. */
const MOST_LETTERS = 300

export type ActorName = (company: Company, actor: string) => Promise<By>

/** @param states by which users and tokens are known, also deleted ones */
export function actorNames(states: Pick<RecordStates, 'load'>): ActorName {
  return async (company, actor) => ({ Id: actor, Name: await nameOfActor(states, company, actor) })
}
