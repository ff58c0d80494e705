/** The workflow of a record: its actions, and how it got where it is (docs/interface.md#workflow-routes). */
import { z } from 'zod'
import type { ObjectDefinition, Workflow } from '../../domain/definition.ts'
import { actionEvent } from '../../domain/workflow.ts'
import { described } from '../openapi/described.ts'
import { reference, schemaRef, type Parameter, type PathItem, type Schema } from '../openapi/document.ts'
import { errors } from '../openapi/error-responses.ts'
import { byExample, bySchema, reasonSchema, timestampSchema } from '../history/openapi/history-schemas.ts'
import { json, named, success, writeHeaders } from '../openapi/wrappers.ts'

/** Paths of an object that has a workflow; none otherwise. `key`: the parameter that names the record. */
export function workflowPaths(
  definition: ObjectDefinition,
  key: Parameter,
): { readonly [path: string]: PathItem } {
  const { object, name, workflow } = definition
  if (!workflow) return {}
  const path = `/api/v1/${object}/{key}/workflow`
  const paths: Record<string, PathItem> = {
    [path]: {
      get: {
        tags: [name],
        operationId: `get${name}Workflow`,
        summary: 'Get the state of a record',
        description:
          'The state, the actions that you may take now, why you cannot take the others that lead on from it, and the last 100 changes of the state, newest last.',
        parameters: [key],
        responses: {
          200: {
            description: 'Where the record stands.',
            headers: named(['ETag']),
            content: json(success(standing(definition, workflow)), {
              Success: true,
              Data: sampleStanding(definition, workflow),
            }),
          },
          ...errors(404),
        },
      },
    },
  }
  const { transitions = [] } = workflow
  if (transitions.length > 0)
    paths[`${path}/{action}`] = {
      post: {
        tags: [name],
        operationId: `act${name}`,
        summary: 'Take a workflow action',
        description: `Answered with 409 in another state, with 403 without the grant, and for an approval of what you submitted yourself. ${actionList(definition, workflow)}`,
        parameters: [
          key,
          {
            name: 'action',
            in: 'path',
            description: 'The action.',
            required: true,
            schema: { type: 'string', enum: transitions.map(({ action }) => action) },
            example: transitions[0]!.action,
          },
          reference('parameters', 'IfMatch'),
          reference('parameters', 'DryRun'),
          reference('parameters', 'IdempotencyKey'),
          reference('parameters', 'Reason'),
        ],
        requestBody: {
          required: false,
          content: json(described(actionBody), { Comment: 'As agreed on the telephone.' }),
        },
        responses: {
          200: {
            description: 'The record as it is now.',
            headers: writeHeaders('ETag', 'Daybook-Dry-Run'),
            content: json(success(schemaRef(`${name}.Changed`))),
          },
          ...errors(404, 409, 412, 413, 415),
        },
      },
    }
  return paths
}

export const actionBody = z.strictObject({
  Comment: z
    .string()
    .nullable()
    .meta({
      maxLength: 1_000,
      description: 'Kept with the change, as `Daybook-Reason` is; goes before it.',
    })
    .exactOptional(),
})

/** A sentence for each action. */
function actionList(definition: ObjectDefinition, { transitions = [] }: Workflow): string {
  const sentences = transitions.map((transition) => {
    const { action, from, to, description } = transition
    const event = actionEvent(definition, transition)
    const move = `\`${action}\` leads from ${from.join(' or ')} to ${to} (\`${event}\`)`
    return description === undefined ? `${move}.` : `${move}: ${description}`
  })
  return sentences.join(' ')
}

function standing(definition: ObjectDefinition, { states, transitions = [] }: Workflow): Schema {
  const state: Schema = { type: 'string', enum: states }
  const oneOf = (names: readonly string[]): Schema =>
    names.length > 0 ? { type: 'string', enum: names } : { type: 'string' }
  const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })
  const object = (properties: { readonly [name: string]: Schema }): Schema => ({
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  })
  const action = object({
    Action: oneOf(transitions.map((transition) => transition.action)),
    From: state,
    To: state,
    Event: oneOf(transitions.map((transition) => actionEvent(definition, transition))),
    RequiresComment: { type: 'boolean' },
  })
  const refused = object({
    Action: oneOf(transitions.map((transition) => transition.action)),
    To: state,
    Reason: { type: 'string' },
  })
  const change = object({
    Action: {
      ...orNull({ type: 'string' }),
      description: 'Null when the state was written directly, or came with the create.',
    },
    Event: { type: 'string' },
    // States that the definition had when it happened.
    From: orNull({ type: 'string' }),
    To: { type: 'string' },
    At: timestampSchema,
    By: bySchema,
    Comment: reasonSchema,
  })
  return object({
    State: state,
    Actions: { type: 'array', items: action },
    Refused: {
      type: 'array',
      items: refused,
      description: 'Actions that lead on from this state, but that you cannot take now, and why.',
    },
    History: { type: 'array', items: change },
  })
}

function sampleStanding(definition: ObjectDefinition, { initial, transitions = [] }: Workflow): object {
  const open = transitions.filter(({ from }) => from.includes(initial))
  const created = { Action: null, Event: `${definition.object}.created`, From: null, To: initial }
  return {
    State: initial,
    Actions: open.map((transition) => ({
      Action: transition.action,
      From: initial,
      To: transition.to,
      Event: actionEvent(definition, transition),
      RequiresComment: transition.requiresComment ?? false,
    })),
    Refused: [],
    History: [{ ...created, At: '2029-11-05T09:30:00Z', By: byExample, Comment: null }],
  }
}
