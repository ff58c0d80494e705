/** Templates, messages, suppressions and triggers in OpenAPI. */
import { AREAS, notification, suppression } from '../../../notifications/objects.ts'
import type { Schema } from '../../openapi/document.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { closed, readSchemas } from '../../openapi/service-object.ts'

const text: Schema = { type: 'string' }
const html: Schema = { type: 'string', maxLength: 200_000 }
const triggerName: Schema = {
  type: 'string',
  maxLength: 80,
  pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$',
  description: 'Words in lowercase, joined by hyphens.',
}
const area: Schema = { type: 'string', enum: [...AREAS] }
const tags: Schema = { type: 'array', items: text, description: 'Paths of the tags, each once.' }
const warnings: Schema = {
  type: 'array',
  items: closed({ Field: text, Message: text, Position: { type: 'integer', minimum: 0 } }, [
    'Field',
    'Message',
  ]),
}

const written = {
  name: { type: 'string', maxLength: 200, description: 'The same name and locale is the next version.' },
  trigger: triggerName,
  subject: { type: 'string', maxLength: 1_000, description: 'With tags, such as `{{ContractNumber}}`.' },
  body: { ...html, description: 'HTML with tags in text and in quoted attributes.' },
}
const locale: Schema = { type: 'string', maxLength: 20, description: 'A language: `en`, `de-AT`.' }

export const template = closed({
  Id: keySchema('template'),
  ...written,
  area,
  locale,
  text: { type: ['string', 'null'] },
  version: { type: 'integer', minimum: 1 },
  tags,
})

export const templateBody = closed({
  template: closed(
    {
      ...written,
      area: { ...area, description: "Left out, it is that of the trigger's folder." },
      locale: { ...locale, default: 'en' },
      text: { ...html, description: 'Left out, it is made from the HTML.' },
    },
    Object.keys(written),
  ),
})

export const uploaded = closed({ template, warnings })
export const checked = closed({ tags, warnings })
const missing: Schema = { type: 'array', items: text, description: 'Tags without a value.' }
export const rendered = closed({ subject: text, body: text, text, missing })
export const tested = closed({
  messageId: { type: 'string', description: 'As the header `Message-ID` of the mail has it.' },
  missing,
})

export const trigger = closed({
  trigger: triggerName,
  area,
  object: { type: 'string', description: '`*`: any.' },
  on: { type: 'object', description: 'An event, or a date with its days.', additionalProperties: true },
  to: {
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Recipients: by field, by role, or by what they may do.',
  },
  category: { type: ['string', 'null'] },
})

export const notificationSchemas: { readonly [name: string]: Schema } = {
  Template: template,
  'Template.Write': templateBody,
  Trigger: trigger,
  ...readSchemas(notification),
  ...readSchemas(suppression),
}
