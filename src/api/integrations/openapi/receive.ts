/** What OpenAPI says of where other systems send to. */
import type { AreaDescription } from '../../area.ts'
import type { Operation, Parameter } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { keyParameter } from '../../openapi/service-object.ts'
import { json, success } from '../../openapi/wrappers.ts'

const tags = ['Messages of other systems']
const key = keyParameter('integration')
const name: Parameter = {
  name: 'name',
  in: 'path',
  description: 'The entry of the integration, such as `events`.',
  required: true,
  schema: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,39}$' },
  example: 'events',
}

const take = (operationId: string, parameters: Parameter[]): Operation => ({
  operationId,
  summary: 'Take a message of another system',
  description:
    'Verified over its raw bytes as the file of the integration says, kept durably, answered, and applied afterwards. The same message again changes nothing.',
  tags,
  security: [],
  parameters,
  requestBody: { required: true, content: { '*/*': { schema: {}, example: { id: 'evt_1' } } } },
  responses: {
    200: {
      description: 'The message is kept.',
      content: json(success({ type: 'object', additionalProperties: false })),
    },
    ...errors(404, 413),
  },
})
const handshake = (operationId: string, parameters: Parameter[]): Operation => ({
  operationId,
  summary: 'Answer the first request of another system',
  description: 'Sends the parameter back that the file of the integration names.',
  tags,
  security: [],
  parameters,
  responses: {
    200: { description: 'The parameter.', content: { 'text/plain': { schema: { type: 'string' } } } },
    ...errors(404),
  },
})

export const receiveDescription: AreaDescription = {
  tag: { name: tags[0]!, description: 'Where other systems send to. Messages prove where they come from.' },
  paths: {
    '/api/v1/in/{key}': {
      get: handshake('answerHandshake', [key]),
      post: take('takeMessage', [key]),
    },
    '/api/v1/in/{key}/{name}': {
      get: handshake('answerHandshakeOf', [key, name]),
      post: take('takeMessageOf', [key, name]),
    },
  },
}
