/**
 * The objects of integrations: an integration as it is set up, and what records are known by in another system. Kept by the same
 * commands and events as records, behind routes of their own (docs/integrations.md). Names and meanings of fields are stored
 * for ever.
 */
import type { ObjectDefinition } from '../domain/definition.ts'

export const INTEGRATION = 'integration'
export const LINK = 'link'
export const POLL = 'poll'
export const WATCH = 'integrationwatch'
export const SENDING = 'sending'
export const COUNTERPART = 'counterpart'
export const FULL_SYNC = 'fullsync'

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
    {
      name: 'BaseUrl',
      type: 'text',
      maxLength: 2_048,
      description: 'Where requests go, or where the broker is, in place of what the file says.',
    },
    { name: 'TokenUrl', type: 'url', description: 'Where tokens are got, in place of what the file says.' },
    { name: 'Settings', type: 'json', description: 'Values of the settings that the file names.' },
    { name: 'FailingSince', type: 'timestamp', description: 'Since when it is failing.' },
    { name: 'FailingIn', type: 'text', maxLength: 60, description: 'The part of its file that fails.' },
    { name: 'StartedAt', type: 'timestamp', description: 'Changes since then are sent.' },
    { name: 'SyncAskedAt', type: 'timestamp', description: 'When a full sync was last asked for.' },
    {
      name: 'CredentialsSet',
      type: 'json',
      description: 'Which credentials it has, since when, and until when an earlier one is valid.',
    },
    { name: 'Credentials', type: 'longtext' },
  ],
  internal: { secrets: ['Credentials'], changedAs: { Credentials: 'Credentials' } },
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
    { name: 'FailedAt', type: 'timestamp', description: 'When it failed for the first time of several.' },
    { name: 'LastRunAt', type: 'timestamp', description: 'When it last ended, to the hour.' },
  ],
  internal: { secrets: [], isListed: false },
}

export const watchDefinition: ObjectDefinition = {
  object: WATCH,
  name: 'Watch',
  application: 'Daybook',
  description:
    'What another system says when something changes there: for a time, and renewed before it ends.',
  display: 'Entry',
  fields: [
    { name: 'Integration', type: 'text', required: true, maxLength: 60 },
    { name: 'Entry', type: 'text', required: true, maxLength: 40 },
    { name: 'ExternalId', type: 'text', maxLength: 200 },
    { name: 'Asked', type: 'text', maxLength: 64, description: 'A digest of what was asked for.' },
    { name: 'RenewedAt', type: 'timestamp' },
    { name: 'ExpiresAt', type: 'timestamp' },
  ],
  internal: { secrets: [], isListed: false },
}

/**
 * `due`: to be sent. `attempting`: it may have gone out. `skipped`: there was nothing to send. `refused`: the other system does not
 * want it, which its file expects. `failed`: somebody should look at it.
 */
export const SENDING_STATES = ['due', 'attempting', 'sent', 'skipped', 'refused', 'failed'] as const
export type SendingState = (typeof SENDING_STATES)[number]

export const sendingDefinition: ObjectDefinition = {
  object: SENDING,
  name: 'Sending',
  application: 'Daybook',
  description: 'A change of a record that an integration sends.',
  display: 'Record',
  fields: [
    { name: 'Integration', type: 'text', required: true, maxLength: 60 },
    { name: 'Entry', type: 'text', required: true, maxLength: 40 },
    { name: 'Object', type: 'text', required: true, maxLength: 40 },
    { name: 'Record', type: 'text', required: true, maxLength: 60 },
    { name: 'Event', type: 'text', required: true, maxLength: 120, description: 'The event that led to it.' },
    { name: 'State', type: 'choice', choices: SENDING_STATES, strict: true, required: true },
    { name: 'SentVersion', type: 'integer', description: 'The version of the record that is sent.' },
    { name: 'IsUnclear', type: 'boolean', description: 'An attempt may have arrived.' },
    { name: 'Attempts', type: 'integer' },
    { name: 'Status', type: 'integer', description: 'Of the answer.' },
    { name: 'ExternalId', type: 'text', maxLength: 200 },
    { name: 'Reason', type: 'longtext', maxLength: 1_000 },
  ],
  internal: { secrets: [] },
}

export const counterpartDefinition: ObjectDefinition = {
  object: COUNTERPART,
  name: 'Counterpart',
  application: 'Daybook',
  description: 'What another system has of a record.',
  display: 'ExternalId',
  fields: [
    { name: 'Integration', type: 'text', required: true, maxLength: 60 },
    { name: 'Record', type: 'text', required: true, maxLength: 60 },
    { name: 'ExternalId', type: 'text', maxLength: 200 },
    { name: 'Sent', type: 'json', description: 'Digests of what was last sent.' },
    { name: 'Agreed', type: 'json', description: 'Digests of the values that both had last.' },
  ],
  internal: { secrets: [], isListed: false },
}

/** `polling`: what is there is read. `applying`: it is taken over. `sending`: what is here is written down to be sent. */
export const FULL_SYNC_STATES = ['polling', 'applying', 'sending', 'done', 'stopped'] as const
export type FullSyncState = (typeof FULL_SYNC_STATES)[number]

export const fullSyncDefinition: ObjectDefinition = {
  object: FULL_SYNC,
  name: 'Full sync',
  application: 'Daybook',
  description: 'A comparison of all that an integration has here and there.',
  display: 'State',
  fields: [
    { name: 'Integration', type: 'text', required: true, maxLength: 60 },
    { name: 'AskedAt', type: 'timestamp' },
    { name: 'State', type: 'choice', choices: FULL_SYNC_STATES, strict: true, required: true },
    { name: 'IsInitial', type: 'boolean', description: 'The integration was started with it.' },
    { name: 'Step', type: 'integer', description: 'Which of the entries of its file it is at, from 0.' },
    { name: 'After', type: 'text', maxLength: 60, description: 'The record that it has come to.' },
    { name: 'Read', type: 'integer', description: 'Items of the other system.' },
    { name: 'Queued', type: 'integer', description: 'Records to be sent.' },
    { name: 'FinishedAt', type: 'timestamp' },
    { name: 'Reason', type: 'longtext', description: 'Why it cannot go on for now.' },
  ],
  internal: { secrets: [], isListed: false },
}
