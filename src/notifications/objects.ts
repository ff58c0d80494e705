/**
 * The objects of notifications: templates, messages, suppressions. They are kept by the same commands, events and read models
 * as records, behind routes of their own (docs/notifications.md). Names and meanings of fields are stored for ever.
 */
import type { FieldDefinition, ObjectDefinition } from '../domain/definition.ts'

const application = 'Daybook'
const text = (name: string, maxLength: number, more: Partial<FieldDefinition> = {}): FieldDefinition => ({
  name,
  type: 'text',
  maxLength,
  ...more,
})

export const AREAS = ['workflow', 'facility-management', 'leasing'] as const

/** What is written when a trigger fires, in one language. Its versions are those of the record. */
export const template: ObjectDefinition = {
  object: 'template',
  name: 'Template',
  application,
  description: 'What is written when something happens or is due.',
  display: 'Name',
  internal: { secrets: [] },
  fields: [
    text('Name', 200, { required: true, searchable: true }),
    text('Trigger', 80, { required: true }),
    { name: 'Area', type: 'choice', choices: [...AREAS], strict: true, default: 'workflow' },
    text('Locale', 20, { default: 'en' }),
    text('Subject', 1_000, { required: true }),
    { name: 'Body', type: 'longtext', maxLength: 200_000, required: true },
    { name: 'Text', type: 'longtext', maxLength: 200_000 },
    { name: 'Layout', type: 'lookup', target: 'layout', description: 'What stands around the body.' },
  ],
}

/** What stands around the bodies of templates: a letterhead, an imprint. */
export const layout: ObjectDefinition = {
  object: 'layout',
  name: 'Layout',
  application,
  description: 'HTML around the bodies of templates.',
  display: 'Name',
  internal: { secrets: [] },
  fields: [
    text('Name', 200, { required: true, searchable: true }),
    { name: 'Body', type: 'longtext', maxLength: 200_000, required: true },
  ],
}

export const MESSAGE_STATES = [
  'due',
  'attempting',
  'sent',
  'failed',
  'skipped',
  'withheld',
  'uncertain',
  'bounced',
  'gathered',
] as const
export type MessageState = (typeof MESSAGE_STATES)[number]

/** A message to one recipient, for one occurrence of a trigger. Its Key follows from those: there is one. */
export const notification: ObjectDefinition = {
  object: 'notification',
  name: 'Notification',
  application,
  description: 'A message to one recipient about one record.',
  display: 'Trigger',
  internal: { secrets: [] },
  fields: [
    text('Trigger', 80, { required: true }),
    text('Record', 60, { required: true }),
    text('Occurrence', 200, { required: true }),
    text('Recipient', 254, { required: true, personal: true }),
    text('Category', 60),
    text('Template', 60, { required: true }),
    { name: 'TemplateVersion', type: 'integer', required: true },
    { name: 'Position', type: 'integer', required: true },
    { name: 'State', type: 'choice', choices: [...MESSAGE_STATES], strict: true, required: true },
    { name: 'IfUnsure', type: 'choice', choices: ['resend', 'hold'], strict: true },
    text('MessageId', 200),
    text('Hash', 64),
    { name: 'Attempts', type: 'integer', default: 0 },
    { name: 'Reply', type: 'longtext', maxLength: 2_000 },
    text('Reason', 1_000),
    text('Digest', 60, { description: 'Key of the digest that it is sent with.' }),
    { name: 'Count', type: 'integer', description: 'Of a digest: how many messages are in it.' },
    text('Member', 60, { description: 'Of a digest: Key of the message that came last.' }),
    { name: 'NotBefore', type: 'timestamp', description: 'Of a digest: when it is sent.' },
  ],
}

/** An address to which nothing of a category is sent any more; category `*`: nothing at all. */
export const suppression: ObjectDefinition = {
  object: 'suppression',
  name: 'Suppression',
  application,
  description: 'An address that is not written to.',
  display: 'Address',
  internal: { secrets: [] },
  fields: [
    text('Address', 254, { required: true, personal: true }),
    text('Category', 60, { required: true, default: '*' }),
    text('Reason', 1_000),
  ],
}

export const notificationObjects: readonly ObjectDefinition[] = [template, layout, notification, suppression]
