/**
 * `GET /api/v1/identity/users/{key}/rights?object=&key=`: what a user may do, and why. Without an object
 * it is about what belongs to none (the audit, administering, operating); with the Key of a record, about that record.
 */
import { Router, type RequestHandler } from 'express'
import type { RecordStates } from '../../commands/support/record-states.ts'
import { standingOf } from '../../commands/support/action-offers.ts'
import { refusalOf } from '../../commands/take-action.ts'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { invalid } from '../../domain/errors.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { RecordState } from '../../domain/records/record.ts'
import { transitionOf } from '../../domain/workflow.ts'
import type { CompanyRoles } from '../../identity/company-roles.ts'
import { isActive, rolesOf } from '../../identity/identity-state.ts'
import { user as userObject } from '../../identity/objects.ts'
import type { Company } from '../../domain/events/event.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { accessOf, type Access, type Action } from '../../rights/access.ts'
import { groundsOf, groundText } from '../../rights/explain.ts'
import { judgeOf } from '../../rights/judge-record.ts'
import { ACTIONS, type Role } from '../../rights/role.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import { requires } from '../policy.ts'
import { parametersOf } from '../records/list-query.ts'
import { noRecord } from '../records/named-object.ts'
import { rightsPaths, rightsSchemas } from './openapi/rights.ts'
import type { IdentityPart } from './part.ts'

export interface RightsRoutes {
  /** Of all objects. */
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read'>
  readonly states: Pick<RecordStates, 'load'>
  readonly rolesNamed: CompanyRoles['rolesNamed']
}

/** What is judged: a user, and perhaps a record. */
interface Asked {
  readonly company: Company
  readonly person: string
  readonly user: RecordState
  readonly roles: readonly Role[]
  readonly object: string
  readonly record:
    { readonly definition: ObjectDefinition; readonly key: string; readonly state: RecordState } | undefined
}

interface Right {
  readonly Action: string
  readonly Allowed: boolean
  /** Each reason stands for itself: several grants may allow the same. */
  readonly Because: readonly string[]
}

/** Actions on what belongs to no object, and on the records of one. */
const OF_NONE: readonly Action[] = ['audit', 'export', 'administer', 'operate']
const OF_RECORDS: readonly Action[] = ACTIONS.filter(
  (action) => action !== 'administer' && action !== 'operate',
)

export function rightsPart(routes: RightsRoutes): IdentityPart {
  const { definitions, states, rolesNamed } = routes

  const rightOf = async (asked: Asked, action: Action): Promise<Right> => {
    const { company, roles, object, user, record } = asked
    const right = (Allowed: boolean, ...Because: string[]) => ({ Action: action, Allowed, Because })
    if (!isActive(user)) return right(false, 'the user is not active')
    const grounds = groundsOf(roles, definitions, object, action)
    const names = roles.map(({ Name }) => Name)
    const texts = grounds.map((ground) => groundText(ground, action))
    const where = object === '*' ? '' : ` on ${object}`
    if (grounds.length === 0)
      return right(
        false,
        names.length > 0
          ? `none of the user's roles (${names.join(', ')}) grants ${action}${where}`
          : 'the user has no role',
      )
    // A new record is judged when it is there.
    if (!record || action === 'create' || action === 'import') return right(true, ...texts)
    const grant = accessOf(roles, definitions).grant(object, action)
    const reach = await judgeOf(routes, { company, ...record }).grantOn(grant)
    if (!reach) return right(false, ...texts.map((text) => `${text}; this record is not among them`))
    const refusal = action.startsWith('workflow:') ? await refusedNow(asked, action) : undefined
    return refusal === undefined ? right(true, ...texts) : right(false, refusal)
  }

  /** Why the workflow action cannot be taken on the record now. */
  const refusedNow = async ({ company, person, user, record }: Asked, action: Action) => {
    const { definition, key, state } = record!
    const transition = transitionOf(definition, action.slice('workflow:'.length))
    if (!transition) return undefined
    const roles = rolesOf(user.fields)
    const about = { company, definition, key, state, transition, person, roles }
    const refusal = refusalOf(definition, transition, await standingOf(routes, about), state.fields)
    // It is said of somebody else here.
    return refusal?.message.replace(/^You made it/, 'The user made it')
  }

  const show: RequestHandler = async (request, response) => {
    const given = parametersOf(request, ['object', 'key'])
    const { company, access } = principalOf(response)
    const person = request.params['key'] as string
    const user = isKeyOf('user', person) ? await states.load(company, person) : undefined
    if (user?.status !== 'live') throw noRecord(userObject, person)
    const { object = '*', key } = given
    const definition = definitions.get(object)
    if (object !== '*' && (!definition || definition.internal)) throw invalid('object', 'is not an object')
    if (key !== undefined && !definition) throw invalid('key', 'needs the object that it belongs to')
    const roles = await rolesNamed(company, rolesOf(user.fields))
    const record = key === undefined ? undefined : await recordNamed(routes, company, object, key, access)
    const transitions = (definition?.workflow?.transitions ?? []).map(
      ({ action }): Action => `workflow:${action}`,
    )
    const actions = definition ? [...OF_RECORDS, ...transitions] : OF_NONE
    const asked = { company, person, user, roles, object, record }
    const Rights = await Promise.all(actions.map((action) => rightOf(asked, action)))
    const Data = {
      User: { Id: person, Name: user.fields['Name'] ?? null },
      Roles: rolesOf(user.fields),
      Object: definition ? object : null,
      Key: key ?? null,
      Rights,
    }
    sendJson(response, 200, success(JSON.stringify(Data)))
  }

  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/users/:key/rights').get(requires('administer'), show))
  return { router, paths: rightsPaths, schemas: rightsSchemas }
}

/** The record as one principal may know of it: who administers users need not see records. @throws NotFound */
async function recordNamed(
  routes: RightsRoutes,
  company: Company,
  object: string,
  key: string,
  access: Access,
): Promise<Asked['record']> {
  const definition = routes.definitions.get(object)!
  const state = isKeyOf(object, key) ? await routes.states.load(company, key) : undefined
  if (state?.status !== 'live') throw noRecord(definition, key)
  const reach = await judgeOf(routes, { company, definition, key, state }).grantOn(
    access.grant(object, 'read'),
  )
  if (!reach) throw noRecord(definition, key)
  return { definition, key, state }
}
