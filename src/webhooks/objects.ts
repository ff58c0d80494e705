/**
 * The `webhook` object: a subscription, kept by the same commands, events and read models as records, served by routes of
 * its own (docs/interface.md#webhook-routes, docs/open-facts.md 18 and 19).
 *
 * Field names are stored for ever. `Secret` and `PreviousSecret` hold sealed text only.
 */
import type { ObjectDefinition } from '../domain/definition.ts'

export const WEBHOOK = 'webhook'

export const webhookDefinition: ObjectDefinition = {
  object: WEBHOOK,
  name: 'Webhook',
  application: 'Daybook',
  description: 'A subscription: which events are sent to which address.',
  display: 'Url',
  fields: [
    { name: 'Url', type: 'url', required: true },
    { name: 'Events', type: 'json', required: true },
    { name: 'Description', type: 'text', maxLength: 500 },
    { name: 'Filter', type: 'longtext', maxLength: 4_096 },
    { name: 'Ordered', type: 'boolean', default: false },
    { name: 'IsActive', type: 'boolean', default: true },
    { name: 'DisabledReason', type: 'text' },
    { name: 'DisabledAt', type: 'timestamp' },
    { name: 'Secret', type: 'longtext', required: true },
    { name: 'PreviousSecret', type: 'longtext' },
    { name: 'PreviousSecretUntil', type: 'timestamp' },
  ],
  internal: { secrets: ['Secret', 'PreviousSecret'], changedAs: { Secret: 'Secret' } },
}
