/**
 * `GET /api/v1/objects`: the objects as the principal sees them, and what they may do with each. It is what a client needs
 * to make forms and lists for objects that it has never heard of.
 */
import { Router, type RequestHandler } from 'express'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import type { Access } from '../../rights/access.ts'
import { ACTIONS } from '../../rights/role.ts'
import { viewOf } from '../../rights/view.ts'
import type { Area } from '../area.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson } from '../http/send.ts'
import { needsNoGrant } from '../policy.ts'
import { noParameters } from '../records/list-query.ts'
import { objectPaths, objectSchemas } from './openapi.ts'

export interface ObjectsRoutes {
  /** Of the objects that are served. */
  readonly definitions: Definitions
}

/** What is asked of an object; the rest belongs to none. */
const OF_OBJECTS = ACTIONS.filter((action) => action !== 'administer' && action !== 'operate')
const OF_SERVICE = ['audit', 'administer', 'operate'] as const
/** Of objects that the service keeps for itself. */
const OF_OTHERS = [
  ['administer', 'webhook'],
  ['administer', 'integration'],
  ['notify', 'template'],
] as const

export function objectsArea({ definitions }: ObjectsRoutes): Area {
  const list: RequestHandler = (request, response) => {
    noParameters(request)
    const { access } = principalOf(response)
    const seen = [...viewOf(access, definitions).definitions.values()]
    const objects = seen.filter(({ object }) => access.grant(object, 'read')).map((one) => shown(one, access))
    const own = OF_SERVICE.filter((action) => access.grant('*', action))
    const others = OF_OTHERS.filter(([action, object]) => access.grant(object, action)).map((one) =>
      one.join(' '),
    )
    const data = { Objects: objects, Actions: [...own, ...others] }
    sendJson(response, 200, JSON.stringify({ Success: true, Data: data }))
  }
  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/').get(needsNoGrant('self'), list))
  return {
    segment: 'objects',
    router,
    openapi: {
      tag: { name: 'Objects', description: 'The objects that there are, as you see them.' },
      paths: objectPaths,
      schemas: objectSchemas,
    },
  }
}

function shown(definition: ObjectDefinition, access: Access) {
  const { object, name, application, description, display, fields, workflow } = definition
  const taken = (workflow?.transitions ?? []).map(({ action }) => `workflow:${action}` as const)
  return {
    Object: object,
    Name: name,
    Application: application,
    Description: description ?? null,
    Display: display,
    Fields: fields.map((field) => ({
      Name: field.name,
      Type: field.type,
      Description: field.description ?? null,
      Required: field.required ?? false,
      ReadOnly: field.readOnly ?? false,
      Unique: field.unique ?? false,
      Searchable: field.searchable ?? false,
      Personal: field.personal ?? false,
      Unit: field.unit ?? null,
      Minimum: field.minimum ?? null,
      Maximum: field.maximum ?? null,
      MaxLength: field.maxLength ?? null,
      Choices: field.choices ?? null,
      Strict: field.strict ?? false,
      Target: field.target ?? null,
      Default: field.default ?? null,
    })),
    Workflow: workflow
      ? {
          Field: workflow.field,
          Initial: workflow.initial,
          States: workflow.states,
          StrictStatus: workflow.strictStatus ?? false,
        }
      : null,
    Actions: [...OF_OBJECTS, ...taken].filter((action) => access.grant(object, action)),
  }
}
