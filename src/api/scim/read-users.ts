/** Users as directories read them: one, or those that a filter finds. */
import type { Request, RequestHandler, Response } from 'express'
import { NotFound } from '../../domain/errors.ts'
import { allOf } from '../../domain/filter/combine.ts'
import { resolvePath } from '../../domain/filter/path.ts'
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { recordFilter, sortPath } from '../../integrations/scim/filter/record-filter.ts'
import { parseAttributePath, parseScimFilter } from '../../integrations/scim/filter/parse.ts'
import { MOST_RESULTS } from '../../integrations/scim/discovery.ts'
import { ScimInvalid } from '../../integrations/scim/invalid.ts'
import { picked, readPicking, type Picking } from '../../integrations/scim/picked.ts'
import { lowered } from '../../integrations/scim/patch/values.ts'
import { shownUser } from '../../integrations/scim/show-user.ts'
import { userOf } from '../../integrations/scim/user.ts'
import type { ListQuery } from '../../ports/read-models.ts'
import { etagOf, matchesNone } from '../http/conditional.ts'
import { send } from '../http/send.ts'
import { granted } from '../policy.ts'
import { narrowingOf, type Narrowed } from '../records/narrowed.ts'
import { shownRecords } from '../records/record-answers.ts'
import { sendList, sendScim } from './answers.ts'
import { bodyOf } from './body.ts'
import { enteredBy, type ScimDoor } from './door.ts'

const USUAL_RESULTS = 100
const FURTHEST = 1_000_000_000

/** Undefined: that it is a user may not be seen. */
export function userIn(
  { mapping, base }: ScimDoor,
  record: Fields,
  version: number,
  picking?: Picking,
): { readonly [name: string]: Json } | undefined {
  const user = userOf(mapping, record)
  if (user.userName === undefined) return undefined
  const shown = shownUser(mapping, user, {
    id: record['Id'] as string,
    version: etagOf(version),
    created: record['CreatedAt'] as string,
    lastModified: record['ModifiedAt'] as string,
    locationOf: (id) => `${base}/Users/${id}`,
  })
  return picked(shown, picking)
}

export const noUser = (id: string) => new NotFound(`there is no user ${id.slice(0, 100)}`)

export function getUser(routes: Narrowed): RequestHandler {
  return async (request, response) => {
    const door = enteredBy(response)
    const { definition } = door.mapping
    const id = request.params['id'] as string
    granted(response, definition.object, 'read')
    const picking = pickingOf(request)
    const narrowing = narrowingOf(routes, response)
    const stored = isKeyOf(definition.object, id)
      ? await routes.readModels.get(narrowing.company, definition.object, id)
      : undefined
    const [json] = stored ? await shownRecords(narrowing, definition, [stored]) : []
    const user =
      json === undefined ? undefined : userIn(door, JSON.parse(json) as Fields, stored!.version, picking)
    if (!user) throw noUser(id)
    const headers = { ETag: etagOf(stored!.version) }
    const known = request.headers['if-none-match']?.replaceAll('W/', '')
    if (!matchesNone(known, stored!.version)) return send(response, 304, headers)
    sendScim(response, 200, user, headers)
  }
}

export function listUsers(routes: Narrowed): RequestHandler {
  return async (request, response) => list(routes, response, request.query)
}

/** The same by POST, where the question is too long for an address, or says too much. */
export function searchUsers(routes: Narrowed): RequestHandler {
  return async (request, response) => {
    const body = bodyOf(request)
    if (!isObject(body)) throw new ScimInvalid('invalidSyntax', 'the body must be a search: a JSON object')
    await list(routes, response, body)
  }
}

export const pickingOf = ({ query }: Request): Picking | undefined => {
  const { attributes, excludedattributes } = lowered(query as Readonly<Record<string, Json>>)
  return readPicking(attributes, excludedattributes)
}

async function list(routes: Narrowed, response: Response, given: object): Promise<void> {
  const door = enteredBy(response)
  const { definition } = door.mapping
  granted(response, definition.object, 'read')
  const narrowing = narrowingOf(routes, response)
  const asked = lowered(given as Readonly<Record<string, Json>>)
  const picking = readPicking(asked['attributes'], asked['excludedattributes'])
  const query = queryOf(door, narrowing.view, asked)
  const page = await routes.readModels.list(narrowing.company, narrowing.view.query(query))
  const shown = await shownRecords(narrowing, definition, page.records)
  const users = shown.flatMap((json, index) => {
    if (json === undefined) return []
    const user = userIn(door, JSON.parse(json) as Fields, page.records[index]!.version, picking)
    return user ? [user] : []
  })
  sendList(response, users, { total: page.total, startIndex: query.offset + 1 })
}

function queryOf(
  { mapping }: ScimDoor,
  { definitions }: ReturnType<typeof narrowingOf>['view'],
  asked: Readonly<Record<string, Json>>,
): ListQuery {
  const { definition, userName } = mapping
  const of = { mapping, definitions }
  const pathTo = (text: string) =>
    resolvePath({
      parameter: 'filter',
      text,
      at: 0,
      definition: definitions.get(definition.object) ?? definition,
      definitions,
    })
  const text = textIn(asked, 'filter', 'invalidFilter')
  const filter = text === undefined ? undefined : recordFilter(parseScimFilter(text), of)
  const sortBy = textIn(asked, 'sortby', 'invalidPath')
  const order = textIn(asked, 'sortorder', 'invalidValue')?.toLowerCase() ?? 'ascending'
  if (order !== 'ascending' && order !== 'descending')
    throw new ScimInvalid('invalidValue', 'sortOrder must be ascending or descending')
  const path =
    sortBy === undefined ? pathTo('CreatedAt') : sortPath(parseAttributePath(sortBy, 'invalidPath'), of)
  const count = numberIn(asked, 'count') ?? USUAL_RESULTS
  const startIndex = numberIn(asked, 'startindex') ?? 1
  return {
    object: definition.object,
    filter: allOf([{ op: 'isNull', path: pathTo(userName.field), negated: true }, filter])!,
    sort: [{ path, descending: sortBy !== undefined && order === 'descending' }],
    offset: Math.min(Math.max(startIndex, 1), FURTHEST) - 1,
    limit: Math.min(Math.max(count, 0), MOST_RESULTS),
    expand: [],
  }
}

function textIn(
  asked: Readonly<Record<string, Json>>,
  name: string,
  wrong: ConstructorParameters<typeof ScimInvalid>[0],
): string | undefined {
  const value = asked[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string') throw new ScimInvalid(wrong, `${name} must be one text`)
  return value
}

function numberIn(asked: Readonly<Record<string, Json>>, name: string): number | undefined {
  const value = asked[name]
  if (value === undefined || value === null || value === '') return undefined
  if (Number.isInteger(value)) return Number(value)
  if (typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value)
  throw new ScimInvalid('invalidValue', `${name} must be an integer`)
}
