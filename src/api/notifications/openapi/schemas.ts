/** Templates, messages, suppressions and triggers in OpenAPI. */
import { AREAS, notification, suppression } from '../../../notifications/objects.ts'
import { described } from '../../openapi/described.ts'
import type { Schema } from '../../openapi/document.ts'
import { keySchema } from '../../openapi/field-schema.ts'
import { closed, readSchemas } from '../../openapi/service-object.ts'
import { newLayout, newTemplate, sentLayout, sentTemplate } from '../bodies.ts'

const text: Schema = { type: 'string' }
const { name, trigger: triggerName, subject, body: html } = described(newTemplate).properties!
const area: Schema = { type: 'string', enum: [...AREAS] }
const tags: Schema = { type: 'array', items: text, description: 'Paths of the tags, each once.' }
const warnings: Schema = {
  type: 'array',
  items: closed({ Field: text, Message: text, Position: { type: 'integer', minimum: 0 } }, [
    'Field',
    'Message',
  ]),
}

const locale: Schema = { type: 'string', maxLength: 20, description: 'A language: `en`, `de-AT`.' }

const version: Schema = { type: 'integer', minimum: 1 }

const templateMembers = {
  Id: keySchema('template'),
  name: name!,
  trigger: triggerName!,
  subject: subject!,
  body: html!,
  area,
  locale,
  text: { type: ['string', 'null'] },
  layout: { type: ['string', 'null'], description: 'Key of the layout around the body.' },
  version,
  tags,
} satisfies { readonly [name: string]: Schema }
export const template = closed(templateMembers)

const layoutMembers = { Id: keySchema('layout'), ...described(newLayout).properties, version }
const layout = closed(layoutMembers)

/** A version in the list of them. */
export const versionEntry = closed({
  version,
  at: { type: 'string', format: 'date-time' },
  by: { ...text, description: 'Name of the user or token.' },
  changed: { type: 'array', items: text, description: 'Members that were written.' },
})

export const uploaded = closed({ template, warnings })
export const checked = closed({ tags, warnings })
export const uploadedLayout = closed({ layout, warnings })
export const checkedLayout = closed({ warnings })
const missing: Schema = { type: 'array', items: text, description: 'Tags without a value.' }
export const rendered = closed({ subject: text, body: text, text, missing })
export const tested = closed({
  messageId: { type: 'string', description: 'As the header `Message-ID` of the mail has it.' },
  missing,
})

export const trigger = closed({
  trigger: triggerName!,
  area,
  object: { type: 'string', description: '`*`: any.' },
  on: { type: 'object', description: 'An event, or a date with its days.', additionalProperties: true },
  to: {
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    description: 'Recipients: by field, by role, or by what they may do.',
  },
  category: { type: ['string', 'null'] },
  tags: {
    type: 'array',
    items: closed({ path: text, sample: text }),
    description: 'What templates of it may hold, with what it could be.',
  },
})

export const notificationSchemas: { readonly [name: string]: Schema } = {
  Template: template,
  'Template.Selection': closed(templateMembers, ['Id']),
  'Template.Write': described(sentTemplate),
  Layout: layout,
  'Layout.Selection': closed(layoutMembers, ['Id']),
  'Layout.Write': described(sentLayout),
  Trigger: trigger,
  ...readSchemas(notification),
  ...readSchemas(suppression),
}
