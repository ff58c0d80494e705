/** What people send to set an integration up, checked against its file. */
import type { z } from 'zod'
import { Invalid, invalid, type Fault } from '../domain/errors.ts'
import { meantName } from '../domain/filter/closest-name.ts'
import type { Fields } from '../domain/json.ts'
import { readBody } from '../shapes/body.ts'
import { choiceWords } from '../shapes/shape-words.ts'
import { checkUrl, type AddressRules } from '../webhooks/addresses.ts'
import { changedIntegration, newIntegration, rotation } from './bodies.ts'
import { checkBrokerUrl, originOf } from './subscribe/broker-url.ts'
import type { IntegrationDefinition } from './definition/integration-schema.ts'

export interface SetUp {
  readonly fields: Fields
  /** Credentials to set; null takes one away. */
  readonly credentials: Readonly<Record<string, string | null>>
}

type Files = ReadonlyMap<string, IntegrationDefinition>

/** What a new integration is set up with. @throws Invalid */
export function readNew(body: unknown, files: Files): SetUp & { readonly file: IntegrationDefinition } {
  const { Definition, ...sent } = readBody(newIntegration, body, NOT_VALID)
  const file = files.get(Definition)
  if (!file) throw invalid('Definition', choiceWords(Definition, [...files.keys()].sort()))
  return { file, ...setUp(sent, file) }
}

/** What of an integration changes. @throws Invalid */
export function readChange(body: unknown, file: IntegrationDefinition): SetUp {
  return setUp(readBody(changedIntegration, body, NOT_VALID), file)
}

const NOT_VALID = 'The integration is not valid.'

function setUp(sent: z.infer<typeof changedIntegration>, file: IntegrationDefinition): SetUp {
  const { Credentials = {}, ...fields } = sent
  const faults = [
    ...unknownNames('Settings', sent.Settings, file.settings),
    ...unknownNames('Credentials', Credentials, file.credentials),
  ]
  if (faults.length > 0) throw new Invalid(NOT_VALID, faults)
  return { fields, credentials: Credentials }
}

function unknownNames(
  member: string,
  sent: object = {},
  file: readonly { readonly name: string }[],
): readonly Fault[] {
  const names = file.map(({ name }) => name)
  return Object.keys(sent)
    .filter((name) => !names.includes(name))
    .map((name) => ({
      Field: `${member}.${name.slice(0, 60)}`,
      Message: `is not known; there are ${names.join(', ') || 'none'}${meantName(name, names)}`,
    }))
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
  body: unknown,
  file: IntegrationDefinition,
): { readonly name: string; readonly value: string } {
  const { Credential: name, Value: value } = readBody(rotation, body, 'The credential is not valid.')
  const names = file.credentials.map((one) => one.name)
  if (names.length === 0) throw invalid('Credential', 'is not known: the file names no credentials')
  if (!names.includes(name)) throw invalid('Credential', choiceWords(name, names))
  return { name, value }
}
