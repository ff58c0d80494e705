/**
 * The objects of identity: companies, users, tokens, sessions, roles.
 *
 * They are records like any other (same commands, events, read models) behind routes of their own. Those routes check
 * what may be sent and shown, so no field here is `readOnly`. Names and meanings of fields are stored for ever.
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
  description: 'The name.',
}
/** Names of roles, as an array of text. */
const roles: FieldDefinition = {
  name: 'Roles',
  type: 'json',
  required: true,
  description: 'Names of roles, which say what may be done.',
}

/** Its events belong to the company itself, for its auditors; its document is listed for operators. */
export const company: ObjectDefinition = {
  object: 'company',
  name: 'Company',
  application,
  description: 'A company. Its records are apart from those of all others.',
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
      description:
        'Whether a session is extended while it is used (Sliding) or counts from the login (Fixed).',
    },
    {
      name: 'IsSuspended',
      type: 'boolean',
      default: false,
      description: 'Users and tokens of a suspended company are not let in.',
    },
    {
      name: 'TimeZone',
      type: 'text',
      maxLength: 60,
      default: 'UTC',
      description: 'The clocks that the company goes by, such as Europe/Berlin.',
    },
    {
      name: 'Locale',
      type: 'text',
      maxLength: 20,
      default: 'en',
      description: 'The language and customs of what is written to others, such as en or de-AT.',
    },
  ],
}

export const user: ObjectDefinition = {
  object: 'user',
  name: 'User',
  application,
  description: 'A person who logs in with an e-mail address and a password.',
  display: 'Name',
  internal: { secrets: ['PasswordHash', 'SessionEpoch'], changedAs: { PasswordHash: 'Password' } },
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
    { name: 'IsActive', type: 'boolean', default: true, description: 'Only active users are let in.' },
    { name: 'PasswordHash', type: 'text', description: 'argon2id, in PHC form.' },
    {
      name: 'SessionEpoch',
      type: 'integer',
      description: 'Counts how often all sessions were ended; sessions of an earlier count are not valid.',
    },
  ],
}

export const token: ObjectDefinition = {
  object: 'token',
  name: 'Token',
  application,
  description: 'An API token, for servers, jobs and scripts.',
  display: 'Name',
  internal: { secrets: ['Hash', 'PreviousHash'], changedAs: { Hash: 'Token' } },
  fields: [
    { ...name, description: 'What the token is for.' },
    roles,
    {
      name: 'Owner',
      type: 'text',
      maxLength: 60,
      description: 'Key of the user that the token stands for; it may do no more than that user.',
    },
    { name: 'ExpiresAt', type: 'timestamp', description: 'When it expires; without a value: never.' },
    { name: 'Hint', type: 'text', maxLength: 20, description: 'The end of its value.' },
    { name: 'Hash', type: 'text', description: 'SHA-256 of the value, in hex.' },
    { name: 'PreviousHash', type: 'text', description: 'SHA-256 of the value before the last rotation.' },
    { name: 'PreviousUntil', type: 'timestamp', description: 'When the value before expires.' },
    { name: 'LastUsedOn', type: 'date', description: 'The last day (UTC) on which it was used.' },
  ],
}

/** The password is the database's to keep: nothing of it is stored here. */
export const warehouseLogin: ObjectDefinition = {
  object: 'warehouselogin',
  name: 'WarehouseLogin',
  application,
  description: 'A login to the warehouse database, for tools of analysts.',
  display: 'Name',
  internal: { secrets: [] },
  fields: [
    { ...name, description: 'What the login is for.' },
    roles,
    {
      name: 'Owner',
      type: 'text',
      maxLength: 60,
      description: 'Key of the user that the login stands for; it sees no more than that user.',
    },
    { name: 'ExpiresAt', type: 'timestamp', description: 'When it expires.' },
    { name: 'Login', type: 'text', maxLength: 60, description: 'The name to log in by.' },
  ],
}

/** A login that has not been logged out. The cookie holds how long it lasts. They are listed by their logins (`api/identity/sessions.ts`). */
export const session: ObjectDefinition = {
  object: 'session',
  name: 'Session',
  application,
  description: 'A login of a user.',
  display: 'User',
  internal: { secrets: [], isListed: false },
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

export const identityObjects: readonly ObjectDefinition[] = [
  company,
  user,
  token,
  session,
  role,
  warehouseLogin,
]
