/**
 * What the service keeps for itself about who may use it: companies, users, tokens, sessions, roles.
 *
 * They are records like any other (same commands, events, read models) behind routes of their own. Those routes check
 * what may be sent and shown; so no field here is `readOnly`. Names and meanings of fields are stored for ever.
 */
import type { FieldDefinition, ObjectDefinition } from '../domain/definition.ts'
import { SYSTEM } from '../domain/events/event.ts'

const application = 'Daybook'
const name: FieldDefinition = {
  name: 'Name',
  type: 'text',
  required: true,
  searchable: true,
  maxLength: 200,
  description: 'What it is called.',
}
/** Names of roles, as an array of text. */
const roles: FieldDefinition = {
  name: 'Roles',
  type: 'json',
  required: true,
  description: 'What may be done, by the names of roles.',
}

/** Its events are its own, for its auditors; its document is listed for operators, who see all companies. */
export const company: ObjectDefinition = {
  object: 'company',
  name: 'Company',
  application,
  description: 'A company that keeps its records here, apart from all others.',
  display: 'Name',
  internal: { secrets: [], listedIn: SYSTEM },
  fields: [
    { ...name, description: 'The name of the company.' },
    {
      name: 'SessionTimeoutMinutes',
      type: 'integer',
      minimum: 1,
      maximum: 43_200,
      default: 1_440,
      unit: 'minutes',
      description: 'How long a session lasts.',
    },
    {
      name: 'SessionRenewal',
      type: 'choice',
      choices: ['Sliding', 'Fixed'],
      strict: true,
      default: 'Sliding',
      description: 'Whether the time of a session begins anew while it is used, or counts from the login.',
    },
    {
      name: 'IsSuspended',
      type: 'boolean',
      default: false,
      description: 'Nobody of a suspended company gets in.',
    },
  ],
}

export const user: ObjectDefinition = {
  object: 'user',
  name: 'User',
  application,
  description: 'A person who logs in with an e-mail address and a password.',
  display: 'Name',
  internal: { secrets: ['PasswordHash', 'SessionEpoch'] },
  fields: [
    {
      name: 'Email',
      type: 'email',
      required: true,
      unique: true,
      searchable: true,
      personal: true,
      description: 'The address, in lowercase; no two users of a company share one.',
    },
    { ...name, personal: true, description: 'The name of the person.' },
    roles,
    { name: 'IsActive', type: 'boolean', default: true, description: 'Only active users get in.' },
    { name: 'PasswordHash', type: 'text', description: 'argon2id, in PHC form.' },
    {
      name: 'SessionEpoch',
      type: 'integer',
      description: 'Counts changes of the password: sessions of an earlier count have ended.',
    },
  ],
}

export const token: ObjectDefinition = {
  object: 'token',
  name: 'Token',
  application,
  description: 'An API token, for servers, jobs and scripts.',
  display: 'Name',
  internal: { secrets: ['Hash', 'PreviousHash'] },
  fields: [
    { ...name, description: 'What the token is for.' },
    roles,
    {
      name: 'Owner',
      type: 'text',
      maxLength: 60,
      description: 'Key of the user whom it stands for; it does no more than that user may.',
    },
    { name: 'ExpiresAt', type: 'timestamp', description: 'Until when it is valid; without: for ever.' },
    { name: 'Hint', type: 'text', maxLength: 20, description: 'How its value ends.' },
    { name: 'Hash', type: 'text', description: 'SHA-256 of the value, in hex.' },
    { name: 'PreviousHash', type: 'text', description: 'SHA-256 of the value before the last rotation.' },
    { name: 'PreviousUntil', type: 'timestamp', description: 'Until when the value before is valid.' },
    { name: 'LastUsedOn', type: 'date', description: 'The last day (UTC) on which it was used.' },
  ],
}

/** A login that has not been logged out. How long it lasts stands in its cookie. */
export const session: ObjectDefinition = {
  object: 'session',
  name: 'Session',
  application,
  description: 'A login of a user.',
  display: 'User',
  internal: { secrets: [] },
  fields: [
    { name: 'User', type: 'text', required: true, maxLength: 60, description: 'Key of the user.' },
    {
      name: 'Epoch',
      type: 'integer',
      required: true,
      description: "The user's SessionEpoch at the login.",
    },
  ],
}

export const role: ObjectDefinition = {
  object: 'role',
  name: 'Role',
  application,
  description: 'What those who have the role may do.',
  display: 'Name',
  internal: { secrets: [] },
  fields: [
    { ...name, unique: true, maxLength: 60, description: 'Lowercase words joined by underscores.' },
    { name: 'Description', type: 'text', maxLength: 500, description: 'What the role is for.' },
    { name: 'Grants', type: 'json', required: true, description: 'What is granted.' },
  ],
}

export const identityObjects: readonly ObjectDefinition[] = [company, user, token, session, role]
