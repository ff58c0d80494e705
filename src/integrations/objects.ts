/**
 * The objects of integrations: an integration as it is set up, and what records are known by in another system. Kept by the same
 * commands and events as records, behind routes of their own (docs/integrations.md). Names and meanings of fields are stored
 * for ever.
 */
import type { ObjectDefinition } from '../domain/definition.ts'

export const INTEGRATION = 'integration'
export const LINK = 'link'
export const POLL = 'poll'

/**
 * `off`: nothing is taken. `initialising`: it takes over what is there already. `paused`: what comes is kept and applied later.
 * `failing`: it goes on, and somebody should look at it.
 */
export const INTEGRATION_STATES = ['off', 'initialising', 'running', 'paused', 'failing'] as const
export type IntegrationState = (typeof INTEGRATION_STATES)[number]

export const integrationDefinition: ObjectDefinition = {
  object: INTEGRATION,
  name: 'Integration',
  application: 'Daybook',
  description: 'Another system that records are exchanged with.',
  display: 'Name',
  fields: [
    { name: 'Name', type: 'text', required: true, maxLength: 100, description: 'As history shows it.' },
    {
      name: 'Definition',
      type: 'text',
      required: true,
      maxLength: 40,
      description: 'The name of its file, such as stripe.',
    },
    { name: 'State', type: 'choice', choices: INTEGRATION_STATES, strict: true, required: true },
    { name: 'Reason', type: 'longtext', maxLength: 1_000, description: 'Why it is failing.' },
    {
      name: 'RunAs',
      type: 'text',
      required: true,
      maxLength: 60,
      description: 'The role by which it reads and writes.',
    },
    { name: 'BaseUrl', type: 'url', description: 'Where requests go, in place of what the file says.' },
    { name: 'TokenUrl', type: 'url', description: 'Where tokens are got, in place of what the file says.' },
    { name: 'Settings', type: 'json', description: 'Values of the settings that the file names.' },
    {
      name: 'CredentialsSet',
      type: 'json',
      description: 'Which credentials it has, since when, and until when an earlier one is valid.',
    },
    { name: 'Credentials', type: 'longtext' },
  ],
  internal: { secrets: ['Credentials'] },
}

export const linkDefinition: ObjectDefinition = {
  object: LINK,
  name: 'Link',
  application: 'Daybook',
  description: 'What a record is known by in another system.',
  display: 'ExternalId',
  fields: [
    { name: 'Integration', type: 'text', required: true, maxLength: 60 },
    { name: 'Object', type: 'text', required: true, maxLength: 40 },
    { name: 'ExternalId', type: 'text', required: true, maxLength: 200 },
    { name: 'Record', type: 'text', maxLength: 60 },
    { name: 'SourceAt', type: 'timestamp', description: 'When what was last applied happened there.' },
  ],
  internal: { secrets: [], isListed: false },
}

export const pollDefinition: ObjectDefinition = {
  object: POLL,
  name: 'Poll',
  application: 'Daybook',
  description: 'How far an integration has asked another system for what was changed there.',
  display: 'Entry',
  fields: [
    { name: 'Integration', type: 'text', required: true, maxLength: 60 },
    { name: 'Entry', type: 'text', required: true, maxLength: 40 },
    { name: 'Checkpoint', type: 'timestamp', description: 'The latest change that was seen.' },
    { name: 'Resume', type: 'longtext', description: 'Where the next one begins, as the other system says.' },
    { name: 'Reason', type: 'longtext', description: 'Why it fails.' },
  ],
  internal: { secrets: [], isListed: false },
}
