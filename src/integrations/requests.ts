/** What people send to set an integration up, checked against its file. */
import { Invalid, invalid, type Fault } from '../domain/errors.ts'
import { isObject, type Fields, type Json } from '../domain/json.ts'
import { checkUrl, type AddressRules } from '../webhooks/addresses.ts'
import { checkBrokerUrl, originOf } from './subscribe/broker-url.ts'
import type { IntegrationDefinition } from './definition/integration-schema.ts'

export interface SetUp {
  readonly fields: Fields
  /** Credentials to set; null takes one away. */
  readonly credentials: Readonly<Record<string, string | null>>
}

const MOST_CHARACTERS = 8_192
const CONTROL = /[\0-\x1f\x7f]/

/**
 * The changes that a body asks for.
 * @param file of the integration; undefined: the body names it
 * @throws Invalid
 */
export function readSetUp(
  body: Json | undefined,
  file: IntegrationDefinition | undefined,
  files: ReadonlyMap<string, IntegrationDefinition>,
): SetUp & { readonly file: IntegrationDefinition } {
  const known = [
    'Name',
    ...(file ? [] : ['Definition']),
    'RunAs',
    'BaseUrl',
    'TokenUrl',
    'Settings',
    'Credentials',
  ]
  const sent = membersOf(body, known)
  const named = file ?? fileNamed(sent['Definition'], files)
  const faults = [
    ...settingsFaults(sent['Settings'], named),
    ...credentialsFaults(sent['Credentials'], named),
    ...nameFaults(sent['Name'], 'Name', 100),
    ...nameFaults(sent['RunAs'], 'RunAs', 60),
  ]
  if (faults.length > 0) throw new Invalid('The integration is not valid.', faults)
  const { Credentials = {}, Settings, ...fields } = sent
  return {
    file: named,
    fields: { ...fields, ...(Settings !== undefined && { Settings }) },
    credentials: Credentials as Record<string, string | null>,
  }
}

/**
 * Credentials are shown to nobody, and go nowhere else by a change of the address: who changes it gives them again.
 * @throws Invalid for an address that requests may not reach, too
 */
export function checkAddresses(
  { fields, credentials, file }: SetUp & { readonly file: Pick<IntegrationDefinition, 'subscribe'> },
  rules: AddressRules,
  before?: { readonly baseUrl: string | undefined; readonly tokenUrl: string | undefined },
  kept: readonly string[] = [],
): void {
  const addresses = { BaseUrl: before?.baseUrl, TokenUrl: before?.tokenUrl }
  for (const [Field, was] of Object.entries(addresses)) {
    const text = fields[Field] ?? undefined
    if (typeof text !== 'string') continue
    const isBroker = Field === 'BaseUrl' && file.subscribe !== undefined
    const checked = (isBroker ? checkBrokerUrl : checkUrl)(text, rules)
    if (typeof checked === 'string') throw invalid(Field, checked)
    const moves = was === undefined || originOf(was) !== checked.url.origin
    const missing = kept.filter((name) => !Object.hasOwn(credentials, name))
    if (moves && missing.length > 0)
      throw invalid(Field, `leads elsewhere: give ${missing.join(', ')} again, in the same request`)
  }
}

/** The credential and its next value. @throws Invalid */
export function readRotation(
  body: Json | undefined,
  file: IntegrationDefinition,
): { readonly name: string; readonly value: string } {
  const { Credential: name, Value: value } = membersOf(body, ['Credential', 'Value'])
  const names = file.credentials.map((one) => one.name)
  if (typeof name !== 'string' || !names.includes(name))
    throw invalid('Credential', `must be one of ${names.join(', ') || 'none: the file names no credentials'}`)
  if (!isSecret(value)) throw invalid('Value', NOT_SECRET)
  return { name, value }
}

/** @throws Invalid for anything but an object of these members */
export function membersOf(body: Json | undefined, known: readonly string[]): Record<string, Json> {
  if (!isObject(body)) throw invalid('', 'must be a JSON object')
  const unknown = Object.keys(body).filter((name) => !known.includes(name))
  if (unknown.length === 0) return { ...body }
  throw new Invalid(
    'The body has unknown members.',
    unknown.map((name) => ({
      Field: name.slice(0, 100),
      Message: `is not known here; it takes ${known.join(', ')}`,
    })),
  )
}

function fileNamed(
  name: Json | undefined,
  files: ReadonlyMap<string, IntegrationDefinition>,
): IntegrationDefinition {
  const file = typeof name === 'string' ? files.get(name) : undefined
  if (!file) throw invalid('Definition', `must be one of ${[...files.keys()].sort().join(', ')}`)
  return file
}

const nameFaults = (value: Json | undefined, field: string, most: number): Fault[] =>
  value === undefined || (typeof value === 'string' && value.trim() !== '' && value.length <= most)
    ? []
    : [{ Field: field, Message: `must be text of 1 to ${most} characters` }]

function settingsFaults(settings: Json | undefined, { settings: known }: IntegrationDefinition): Fault[] {
  if (settings === undefined) return []
  if (!isObject(settings)) return [{ Field: 'Settings', Message: 'must be an object' }]
  const names = known.map(({ name }) => name)
  return Object.entries(settings).flatMap(([name, value]) => {
    if (!names.includes(name))
      return [
        {
          Field: `Settings.${name.slice(0, 60)}`,
          Message: `is not known; there are ${names.join(', ') || 'none'}`,
        },
      ]
    const isPlain =
      typeof value === 'string' ? value.length <= 500 : ['number', 'boolean'].includes(typeof value)
    return isPlain ? [] : [{ Field: `Settings.${name}`, Message: 'must be text, a number, true or false' }]
  })
}

const NOT_SECRET = `must be text of 1 to ${MOST_CHARACTERS} characters, without control characters`

function credentialsFaults(credentials: Json | undefined, file: IntegrationDefinition): Fault[] {
  if (credentials === undefined) return []
  if (!isObject(credentials)) return [{ Field: 'Credentials', Message: 'must be an object' }]
  const names = file.credentials.map(({ name }) => name)
  return Object.entries(credentials).flatMap(([name, value]) => {
    const Field = `Credentials.${name.slice(0, 60)}`
    if (!names.includes(name))
      return [{ Field, Message: `is not known; there are ${names.join(', ') || 'none'}` }]
    return value === null || isSecret(value) ? [] : [{ Field, Message: NOT_SECRET }]
  })
}

function isSecret(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MOST_CHARACTERS && !CONTROL.test(value)
}
