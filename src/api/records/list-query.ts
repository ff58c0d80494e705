/** Query parameters of a list (docs/interface.md#list-parameters). Anything that is not understood is refused: a parameter that is ignored returns everyone's rows (docs/open-facts.md 12). */
import type { Request } from 'express'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { Invalid, invalid, type Fault } from '../../domain/errors.ts'
import { meantName } from '../../domain/filter/closest-name.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import { parseExpand, parseFields } from '../../domain/query/fields.ts'
import { readListAsOf, readRecordAsOf, type ListAsOf } from '../../domain/fields/moment.ts'
import { parsePage, type PageRequest } from '../../domain/query/page.ts'
import { parseSort } from '../../domain/query/sort.ts'
import { searchWords } from '../../domain/search/search-words.ts'
import type { ListQuery } from '../../ports/read-models.ts'
import type { HeaderParameter } from '../http/header-parameters.ts'
import { readParameters } from '../http/read-parameters.ts'
import { arrivalOf } from '../http/send.ts'

export interface ListRequest {
  readonly query: ListQuery
  readonly page: number
  readonly pageSize: number
  /** Names to include; undefined: all. */
  readonly fields: readonly string[] | undefined
  /** What is looked back to; undefined: nothing, it is the present that is read. */
  readonly asOf?: ListAsOf | undefined
}

const OF_LISTS = ['page', 'pageSize', 'sort', 'filter', 'fields', 'expand', 'search'] as const
const OF_RECORDS = ['fields', 'expand', 'asOf'] as const
const MAX_SEARCH_LENGTH = 500

/**
 * @param looksBack whether the route takes `asOf`
 * @param others parameters that the route takes beside those of lists, and reads itself
 * @throws Invalid naming every parameter that is wrong
 */
export function listRequest(
  request: Request,
  definition: ObjectDefinition,
  definitions: Definitions,
  looksBack = false,
  others: readonly string[] = [],
): ListRequest {
  const given: Partial<Record<(typeof OF_LISTS)[number] | 'asOf', string>> = parametersOf(
    request,
    [...OF_LISTS, ...(looksBack ? ['asOf'] : []), ...others],
    looksBack ? ['atLeast'] : [],
  )
  const read = readParameters()
  const page = read(() => parsePage(given.page, given.pageSize))
  const sort = read(() => (given.sort === undefined ? [] : parseSort(given.sort, definition, definitions)))
  const filter = read(() =>
    given.filter === undefined
      ? undefined
      : parseFilter(given.filter, definition, definitions, arrivedAt(request)),
  )
  const fields = read(() => (given.fields === undefined ? undefined : parseFields(given.fields, definition)))
  const expand = read(() => (given.expand === undefined ? [] : parseExpand(given.expand, definition)))
  const words = read(() => wordsOf(given.search))
  const asOf = read(() => (given.asOf === undefined ? undefined : readListAsOf(given.asOf)))
  read(() => checkExpanded(expand, fields))
  read.done()
  return {
    query: {
      object: definition.object,
      ...(filter && { filter }),
      ...(words && { words }),
      sort: sort!,
      offset: (page!.page - 1) * page!.pageSize,
      limit: page!.pageSize,
      expand: expand!,
    },
    ...page!,
    fields,
    asOf,
  }
}

/** What `now()` stands for: of all pages that a request reads the same moment. */
const arrivedAt = ({ res }: Request): Date => new Date(arrivalOf(res!).now)

/** `page` and `pageSize` of a list that takes nothing else. */
export function pageRequest(request: Request): PageRequest {
  const { page, pageSize } = parametersOf(request, ['page', 'pageSize'])
  return parsePage(page, pageSize)
}

/** `fields`, `expand` and `asOf` of a single record. */
export function recordRequest(
  request: Request,
  definition: ObjectDefinition,
  forHeaders: readonly HeaderParameter[] = [],
) {
  const given = parametersOf(request, OF_RECORDS, forHeaders)
  const fields = given.fields === undefined ? undefined : parseFields(given.fields, definition)
  const expand = given.expand === undefined ? [] : parseExpand(given.expand, definition)
  checkExpanded(expand, fields)
  const asOf = given.asOf === undefined ? undefined : readRecordAsOf(given.asOf)
  return { fields, expand, asOf }
}

/** @throws Invalid where a lookup is to be expanded that is not to be shown */
function checkExpanded(expand: readonly string[] = [], fields: readonly string[] | undefined): void {
  const missing = fields && expand.find((name) => !fields.includes(name))
  if (missing !== undefined) throw invalid('expand', `${missing} is not among fields: name it there, too`)
}

/** @throws Invalid when there are query parameters other than those that stand for headers of the route */
export function noParameters(request: Request, forHeaders: readonly HeaderParameter[] = []): void {
  parametersOf(request, [], forHeaders)
}

/**
 * The query parameters, each given once.
 * @param forHeaders parameters that stand for headers of the route: taken here, and read with the header
 * @throws Invalid naming those that the route does not know, or that were given more than once
 */
export function parametersOf<Name extends string>(
  request: Request,
  known: readonly Name[],
  forHeaders: readonly HeaderParameter[] = [],
): Partial<Record<Name, string>> {
  const parameters: Partial<Record<Name, string>> = {}
  if (!request.url.includes('?')) return parameters
  const faults: Fault[] = []
  const taken = [...known, ...forHeaders]
  for (const [name, value] of Object.entries(request.query)) {
    const one = known.find((parameter) => parameter === name)
    const isForHeader = forHeaders.some((parameter) => parameter === name)
    if (!one && !isForHeader)
      faults.push({
        Field: name.slice(0, 100),
        Message: `is not a query parameter of this route${taken.length ? `; it takes ${taken.join(', ')}` : ''}${meantParameter(name, taken)}`,
      })
    else if (typeof value !== 'string') faults.push({ Field: name, Message: 'was given more than once' })
    else if (one) parameters[one] = value
  }
  if (faults.length > 0) throw new Invalid('the query parameters are not valid', faults)
  return parameters
}

/** What other APIs call the parameters. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ['limit', 'pageSize'],
  ['per_page', 'pageSize'],
  ['page_size', 'pageSize'],
  ['size', 'pageSize'],
  ['top', 'pageSize'],
  ['first', 'pageSize'],
  ['offset', 'page'],
  ['skip', 'page'],
  ['page_number', 'page'],
  ['order', 'sort'],
  ['orderby', 'sort'],
  ['order_by', 'sort'],
  ['sort_by', 'sort'],
  ['sortby', 'sort'],
  ['where', 'filter'],
  ['q', 'search'],
  ['query', 'search'],
  ['select', 'fields'],
  ['include', 'expand'],
  ['embed', 'expand'],
  ['as_of', 'asOf'],
  ['user', 'actor'],
  ['by', 'actor'],
  ['since', 'from'],
  ['after', 'from'],
  ['until', 'to'],
  ['before', 'to'],
])

function meantParameter(name: string, taken: readonly string[]): string {
  const plain = name.toLowerCase().replace(/^\$/, '')
  const alias = ELSEWHERE.get(plain) ?? plain
  const meant = taken.find((one) => one.toLowerCase() === alias.toLowerCase())
  if (meant === undefined) return meantName(name, taken)
  return plain === 'offset' || plain === 'skip'
    ? '; pages are counted: page=2&pageSize=25'
    : `; did you mean ${meant}?`
}

/** An empty search does not count; one without a single letter or digit finds nothing. */
function wordsOf(search: string | undefined): readonly string[] | undefined {
  if (search === undefined || search.trim() === '') return undefined
  if (search.length > MAX_SEARCH_LENGTH)
    throw invalid('search', `is longer than ${MAX_SEARCH_LENGTH} characters`)
  const words = searchWords(search)
  if (words.length === 0) throw invalid('search', 'has no letter or digit to look for')
  return words
}
