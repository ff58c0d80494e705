/** What OpenAPI says of forms. */
import type { AreaDescription } from '../../area.ts'
import type { Operation } from '../../openapi/document.ts'
import { errors } from '../../openapi/error-responses.ts'
import { closed, keyParameter } from '../../openapi/service-object.ts'
import { json, success } from '../../openapi/wrappers.ts'

const tags = ['Forms of websites']
const common = { tags, security: [], parameters: [keyParameter('integration')] } satisfies Partial<Operation>
const filledIn = { type: 'object', additionalProperties: { type: ['string', 'number', 'boolean'] } } as const

export const formsDescription: AreaDescription = {
  tag: { name: tags[0]!, description: 'Forms that any website may have; they are set up as integrations.' },
  paths: {
    '/api/v1/forms/{key}': {
      post: {
        ...common,
        operationId: 'sendForm',
        summary: 'Send a form',
        description:
          'A plain HTML form of any site, answered with a page or a redirect; or JSON, from pages of the application. The answer is the same whatever the form holds.',
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: filledIn,
              example: 'name=Ada&email=ada%40example.com',
            },
            ...json(filledIn, { name: 'Ada', email: 'ada@example.com', message: 'Two rooms, please.' }),
          },
        },
        responses: {
          200: {
            description: 'It is taken.',
            content: {
              ...json(success(closed({}))),
              'text/html': { schema: { type: 'string' } },
            },
          },
          303: {
            description: 'It is taken.',
            headers: { Location: { description: 'The page of thanks.', schema: { type: 'string' } } },
          },
          ...errors(404, 413),
        },
      },
    },
    '/api/v1/forms/{key}/challenge': {
      get: {
        ...common,
        operationId: 'getFormChallenge',
        summary: 'Get a challenge to answer',
        description:
          'Sent with the form as `daybook-challenge`; `daybook-answer` is text for which SHA-256 of `challenge.answer` begins with that many zero bits.',
        responses: {
          200: {
            description: 'The challenge.',
            content: json(success(closed({ Challenge: { type: 'string' }, Bits: { type: 'integer' } }))),
          },
          ...errors(404),
        },
      },
    },
    '/api/v1/forms/{key}/form.js': {
      get: {
        ...common,
        operationId: 'getFormScript',
        summary: 'Get the script that answers a challenge in a form',
        responses: {
          200: { description: 'The script.', content: { 'text/javascript': { schema: { type: 'string' } } } },
          ...errors(404),
        },
      },
    },
  },
}
