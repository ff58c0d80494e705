/** An integration as it is set up, read from its state. */
import type { Company } from '../domain/events/event.ts'
import { isObject, type Fields, type Json } from '../domain/json.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { IntegrationDefinition } from './definition/integration-schema.ts'
import type { IntegrationState } from './objects.ts'

export interface Integration {
  readonly company: Company
  readonly key: string
  readonly version: number
  readonly name: string
  /** The name of its file. */
  readonly definition: string
  readonly state: IntegrationState
  readonly reason: string | undefined
  /** The role by which it reads and writes. */
  readonly runAs: string
  readonly baseUrl: string | undefined
  readonly tokenUrl: string | undefined
  readonly settings: Fields
  /** Changes since then are sent. */
  readonly startedAt: string | undefined
  /** The part of its file that fails. */
  readonly failingIn: string | undefined
  /** When a full sync was last asked for. */
  readonly syncAskedAt: string | undefined
  /** Sealed. */
  readonly credentials: string | undefined
  readonly credentialsSet: readonly Json[]
}

/** Undefined when there is none, or none any more. */
export function integrationOf(
  company: Company,
  key: string,
  { status, version, fields }: RecordState,
): Integration | undefined {
  if (status !== 'live') return undefined
  const text = (name: string) => fields[name] as string
  const optional = (name: string) => (fields[name] as string | null | undefined) ?? undefined
  const settings = fields['Settings']
  const set = fields['CredentialsSet']
  return {
    company,
    key,
    version,
    name: text('Name'),
    definition: text('Definition'),
    state: text('State') as IntegrationState,
    reason: optional('Reason'),
    runAs: text('RunAs'),
    baseUrl: optional('BaseUrl'),
    tokenUrl: optional('TokenUrl'),
    startedAt: optional('StartedAt'),
    failingIn: optional('FailingIn'),
    syncAskedAt: optional('SyncAskedAt'),
    settings: isObject(settings) ? settings : {},
    credentials: optional('Credentials'),
    credentialsSet: Array.isArray(set) ? (set as readonly Json[]) : [],
  }
}

/** Whether messages are taken from outside. */
export const isTaking = ({ state }: Pick<Integration, 'state'>): boolean => state !== 'off'

/** Whether what was taken is applied. */
export const isApplying = ({ state }: Pick<Integration, 'state'>): boolean =>
  state !== 'off' && state !== 'paused'

/** Whether it has the credentials that requests to the other system are authenticated by. */
export function canAsk(
  { credentialsSet }: Pick<Integration, 'credentialsSet'>,
  { authentication }: Pick<IntegrationDefinition, 'authentication'>,
): boolean {
  const set = new Set(credentialsSet.map((one) => isObject(one) && one['Name']))
  return credentialNames(authentication).every((name) => set.has(name))
}

function credentialNames(authentication: IntegrationDefinition['authentication']): string[] {
  if (!authentication) return []
  if ('bearer' in authentication) return [authentication.bearer]
  if ('header' in authentication) return [authentication.secret]
  if ('basic' in authentication) return [authentication.basic.user, authentication.basic.password]
  if ('session' in authentication) return Object.values(authentication.session.parameters)
  const { clientId, clientSecret, refreshToken } = authentication.oauth2
  return [clientId, clientSecret, ...(refreshToken === undefined ? [] : [refreshToken])]
}

/** Values of its settings; of those that it does not say, what the file says. */
export function settingsOf({ settings }: Integration, file: IntegrationDefinition | undefined): Fields {
  const defaults = (file?.settings ?? []).flatMap((one) =>
    one.default === undefined ? [] : [[one.name, one.default] as const],
  )
  return { ...Object.fromEntries(defaults), ...settings }
}
