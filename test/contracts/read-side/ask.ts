/** Lists asked for in the words of the API, so that tests read as requests do. */
import type { Definitions } from '../../../src/domain/definition.ts'
import type { Company } from '../../../src/domain/events/event.ts'
import { parseFilter } from '../../../src/domain/filter/parse.ts'
import type { Filter } from '../../../src/domain/filter/ast.ts'
import type { Fields } from '../../../src/domain/json.ts'
import { parseSort } from '../../../src/domain/query/sort.ts'
import { searchWords } from '../../../src/domain/search/search-words.ts'
import type { ListQuery, Page, ReadModels } from '../../../src/ports/read-models.ts'

export interface Asked {
  readonly filter?: string | Filter
  readonly search?: string
  readonly sort?: string
  readonly offset?: number
  readonly limit?: number
  readonly expand?: readonly string[]
}

/** More than any test tells of. */
const ALL = 1_000

export function listQuery(definitions: Definitions, object: string, asked: Asked = {}): ListQuery {
  const definition = definitions.get(object)!
  const { filter, search, sort, offset = 0, limit = ALL, expand = [] } = asked
  return {
    object,
    ...(filter !== undefined && {
      filter: typeof filter === 'string' ? parseFilter(filter, definition, definitions) : filter,
    }),
    ...(search !== undefined && { words: searchWords(search) }),
    sort: sort ? parseSort(sort, definition, definitions) : [],
    offset,
    limit,
    expand,
  }
}

export interface AskOf {
  readonly readModels: ReadModels
  readonly definitions: Definitions
  readonly company: Company
}

export function ask(of: AskOf, object: string, asked?: Asked): Promise<Page> {
  return of.readModels.list(of.company, listQuery(of.definitions, object, asked))
}

/** The records of the page, parsed. */
export async function rows(of: AskOf, object: string, asked?: Asked): Promise<Fields[]> {
  return (await ask(of, object, asked)).records.map(({ json }) => JSON.parse(json) as Fields)
}

/** One field of each record of the page. */
export async function column(of: AskOf, object: string, field: string, asked?: Asked): Promise<unknown[]> {
  return (await rows(of, object, asked)).map((row) => row[field])
}
