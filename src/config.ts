/** Settings, read once from the environment. A value that is not understood stops the start with its name and why. */
import { z } from 'zod'
import { serverUrl } from './config-servers.ts'
import { origin, proxies, transportFault } from './config-transport.ts'
import { addressRanges, headerName, retrySchedule } from './config-webhooks.ts'

function wholeNumber({ least = 0, most }: { readonly least?: number; readonly most: number }) {
  const fault = `must be a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d{1,15}$/, fault)
    .transform(Number)
    .refine((value) => value >= least && value <= most, fault)
}

const text = z.string().trim().min(1, 'must not be blank')

function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, `must be one of ${values.join(', ')}`)
}

export const ROLES = ['api', 'projections', 'webhooks', 'scheduler'] as const
export type Role = (typeof ROLES)[number]

const roles = z
  .string()
  .transform((list) => list.split(',').map((role) => role.trim()))
  .pipe(z.array(oneOf(ROLES)))
  .transform((list): ReadonlySet<Role> => new Set(list))

/** The keys of base64 texts. @throws Error when one is none, or has fewer than 32 bytes */
export function secretKeys(texts: readonly string[]): readonly Uint8Array[] {
  return texts.map((one) => {
    const key = Buffer.from(one, 'base64')
    if (key.length < 32 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(one))
      throw new Error('each key must be base64 of 32 bytes or more')
    return key
  })
}

const secretsKeys = z.string().transform((list, context): readonly Uint8Array[] => {
  try {
    return secretKeys(list.split(',').map((one) => one.trim()))
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
    return z.NEVER
  }
})

const Settings = z.object({
  /** 0: any free port. */
  PORT: wholeNumber({ most: 65_535 }).prefault('3000'),
  HOST: text.default('127.0.0.1'),
  DATA_DIR: text.default('./data'),
  /** What this process does: a comma-separated list. */
  ROLES: roles.prefault(ROLES.join(',')),
  /** Unset: events are kept in DATA_DIR. */
  EVENTSTORE_URL: serverUrl(['esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover']).optional(),
  /** Unset: read models are kept in DATA_DIR. */
  MONGODB_URL: serverUrl(['mongodb', 'mongodb+srv']).optional(),
  /** Unset: which deliveries are due is kept in DATA_DIR. */
  RABBITMQ_URL: serverUrl(['amqp', 'amqps']).optional(),
  /** A folder with more object definitions, or other versions of the shipped ones. */
  DEFINITIONS_DIR: text.optional(),
  /** Where clients reach the service, when that is not http://HOST:PORT. */
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL that begins with https:// or http://' })
    .optional(),
  /** Of the session cookie (specification 5.1): the parent domain, with a leading dot. Unset: the host alone. */
  COOKIE_DOMAIN: z
    .string()
    .regex(
      /^\.[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i,
      'must be a domain with a leading dot: .example.com',
    )
    .optional(),
  /** Keys that secrets are kept with, newest first. Unset: a key is generated and kept (docs/operations.md). */
  SECRETS_KEYS: secretsKeys.optional(),
  /** The one origin whose scripts may use the API (specification 5.3). Unset: none. */
  APP_ORIGIN: origin.optional(),
  /** Files with the certificate (its chain after it) and its key, in PEM. */
  TLS_CERT: text.optional(),
  TLS_KEY: text.optional(),
  /** The proxies in front whose word about the client is taken. */
  TRUST_PROXY: proxies.optional(),
  /** Requests a minute of each principal, and of each address that is none; 0: as many as they like. */
  RATE_LIMIT_PER_MINUTE: wholeNumber({ most: 1_000_000 }).prefault('1200'),
  /** How many of them at once. */
  RATE_LIMIT_BURST: wholeNumber({ least: 1, most: 1_000_000 }).prefault('100'),
  /** Tables, snapshots and audits that are sent at the same time; others wait. */
  EXPORTS_AT_ONCE: wholeNumber({ least: 1, most: 100 }).prefault('4'),
  /** Address ranges that webhooks may be sent to beyond public ones, such as 10.0.0.0/8. */
  WEBHOOK_ALLOW_ADDRESSES: addressRanges.prefault(''),
  /** The header with the signature of specification 6.3. */
  WEBHOOK_SIGNATURE_HEADER: headerName.default('X-Hub-Signature-256'),
  /** Waits before each attempt of a delivery, such as 0s,5s,5m. */
  WEBHOOK_SCHEDULE: retrySchedule.optional(),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** How long a write waits until reads show it, in ms. */
  READ_YOUR_WRITES_MS: wholeNumber({ most: 60_000 }).prefault('2000'),
  /** First start of an empty store: the company's name, its administrator and its first API token. */
  BOOTSTRAP_COMPANY: text.max(200, 'must have at most 200 characters').default('My company'),
  /** Its administrator. */
  BOOTSTRAP_EMAIL: z
    .email('must be an e-mail address')
    .max(254, 'must have at most 254 characters')
    .default('admin@example.com'),
  BOOTSTRAP_PASSWORD: z
    .string()
    .regex(/^.{8,256}$/su, 'must have 8 to 256 characters')
    .optional(),
  BOOTSTRAP_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,256}$/, 'must be 16 to 256 visible ASCII characters')
    .optional(),
})

export type Config = z.infer<typeof Settings>

/** A setting that cannot be used. Its message says which and why, never the value of a secret. */
export class ConfigError extends Error {}

/** @throws ConfigError naming every setting that is wrong */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable is one that is not set: compose files and shells cannot unset.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const result = Settings.safeParse(given)
  if (result.success) return withTransport(checkRoles(result.data))
  const lines = result.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`)
  throw new ConfigError(`these settings cannot be used:\n${lines.join('\n')}`)
}

/** A file has one process: only what is kept on servers can be shared by processes of different roles. */
function checkRoles(config: Config): Config {
  const embedded = !config.EVENTSTORE_URL || !config.MONGODB_URL
  const split = ROLES.some((role) => !config.ROLES.has(role))
  if (embedded && split)
    throw new ConfigError(
      'ROLES: processes of different roles need both EVENTSTORE_URL and MONGODB_URL; without them one process has all roles',
    )
  return config
}

function withTransport(config: Config): Config {
  const fault = transportFault(config)
  if (fault !== undefined) throw new ConfigError(fault)
  return config
}
