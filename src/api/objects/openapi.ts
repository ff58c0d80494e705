/** The OpenAPI description of `/api/v1/objects`. */
import { schemaRef, type PathItem, type Schema } from '../openapi/document.ts'
import { errors } from '../openapi/error-responses.ts'
import { closed } from '../openapi/service-object.ts'
import { json, success } from '../openapi/wrappers.ts'

const text: Schema = { type: 'string' }
const flag: Schema = { type: 'boolean' }
const texts: Schema = { type: 'array', items: text }
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] })

const field = closed({
  Name: text,
  Type: {
    ...text,
    description:
      'text, longtext, integer, decimal, boolean, date, timestamp, money, choice, lookup, email, url or json.',
  },
  Description: orNull(text),
  Required: flag,
  ReadOnly: { ...flag, description: 'Assigned by the service.' },
  Unique: flag,
  Searchable: flag,
  Personal: { ...flag, description: 'Holds personal data.' },
  Unit: orNull(text),
  Minimum: orNull({ type: 'number' }),
  Maximum: orNull({ type: 'number' }),
  MaxLength: orNull({ type: 'integer' }),
  Choices: orNull(texts),
  Strict: { ...flag, description: 'Whether a choice takes nothing but its choices.' },
  Target: { ...orNull(text), description: 'The object that a lookup points to.' },
  Default: { anyOf: [text, { type: 'number' }, flag, { type: 'null' }] },
})

const workflow = closed({ Field: text, Initial: text, States: texts, StrictStatus: flag })

export const objectSchemas: { readonly [name: string]: Schema } = {
  'Object.Seen': {
    ...closed({
      Object: text,
      Name: text,
      Application: text,
      Description: orNull(text),
      Display: { ...text, description: 'The field that stands for the record where another looks it up.' },
      Fields: { type: 'array', items: field },
      Workflow: orNull(workflow),
      Actions: { ...texts, description: 'What you may do with its records; of some perhaps, not of all.' },
    }),
    description: 'An object as you see it.',
  },
}

export const objectPaths: { readonly [path: string]: PathItem } = {
  '/api/v1/objects': {
    get: {
      operationId: 'listObjects',
      summary: 'The objects that you may read, their fields, and what you may do',
      tags: ['Objects'],
      responses: {
        200: {
          description: 'All of them, and what you may do that belongs to no object.',
          content: json(
            success(closed({ Objects: { type: 'array', items: schemaRef('Object.Seen') }, Actions: texts })),
          ),
        },
        ...errors(),
      },
    },
  },
}
