/**
 * Settings, read once from the environment. A value that is not valid stops the start with the setting's name and the reason.
 *
 * First the kinds of values, then `Settings`, the list of all of them, then what must hold between them.
 */
import { isIP } from 'node:net'
import { z } from 'zod'
import { addressRanges } from './address-ranges-setting.ts'
import { secretKeys } from './domain/secret-keys.ts'
import { importFolders } from './import-folders-setting.ts'
import { listeningFault } from './listening-settings.ts'
import { sftpAllowed } from './sftp-allow-setting.ts'
import { serverUrl } from './server-url-setting.ts'
import { readSchedule, type Schedule } from './webhooks/schedule.ts'

function integer({ least = 0, most }: { readonly least?: number; readonly most: number }) {
  const fault = `must be an integer from ${least} to ${most}`
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

export const ROLES = ['api', 'projections', 'webhooks', 'scheduler', 'warehouse', 'notifications'] as const
export type ProcessRole = (typeof ROLES)[number]

const roles = z
  .string()
  .transform((list) => list.split(',').map((role) => role.trim()))
  .pipe(z.array(oneOf(ROLES)))
  .transform((list): ReadonlySet<ProcessRole> => new Set(list))

const secretsKeys = z.string().transform((list, context): readonly Uint8Array[] => {
  try {
    return secretKeys(list.trim())
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
    return z.NEVER
  }
})

/** What browsers send as `Origin`. */
const origin = z
  .string()
  .refine(
    (value) => /^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value,
    'must be an origin such as https://app.example.com, in lower case with nothing after it',
  )

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal']
const NO_PROXY = `must be a number of proxies (1 to 9), or addresses, CIDRs or ${NAMED_NETWORKS.join(', ')}, separated by commas`

/** The number of proxies, or their addresses. */
const proxies = z
  .string()
  .refine((text) => /^[1-9]$/.test(text) || namesOf(text).every(isNetwork), NO_PROXY)
  .transform((text): number | readonly string[] => (/^[1-9]$/.test(text) ? Number(text) : namesOf(text)))

const namesOf = (list: string) => list.split(',').map((one) => one.trim())

function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/')
  if (more.length > 0 || isIP(address) === 0) return NAMED_NETWORKS.includes(text)
  // A prefix of 0 would trust everyone.
  const bits = isIP(address) === 6 ? 128 : 32
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits)
}

/** Headers that every delivery has. */
const TAKEN =
  /^(host|connection|content-.*|transfer-encoding|user-agent|webhook-.*|daybook-.*|expect|te|upgrade)$/i

const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a header')
  .refine((name) => !TAKEN.test(name), 'is a header that deliveries already have')

const retrySchedule = z.string().transform((text, context): Schedule => {
  const schedule = readSchedule(text)
  if (schedule) return schedule
  context.addIssue({
    code: 'custom',
    message: 'must be up to 20 waits of at most a day, such as 0s,5s,5m,2h, separated by commas',
  })
  return z.NEVER
})

/** `Name <address>`, or an address alone; one line. */
const mailbox = z
  .string()
  .regex(
    /^([^<>\r\n"]{0,100}<[^\s<>@"]+@[^\s<>@"]+>|[^\s<>@"]+@[^\s<>@"]+)$/,
    'must be an address, or a name and <address>',
  )

const Settings = z.object({
  /** 0: any free port. */
  PORT: integer({ most: 65_535 }).prefault('3000'),
  HOST: text.default('127.0.0.1'),
  DATA_DIR: text.default('./data'),
  /** Threads that answer requests. 1: the main thread alone. */
  WORKERS: integer({ least: 1, most: 16 }).prefault('1'),
  /** The process roles, separated by commas. */
  ROLES: roles.prefault(ROLES.join(',')),
  /** Unset: events are kept in DATA_DIR. */
  EVENTSTORE_URL: serverUrl(['esdb', 'esdb+discover', 'kurrentdb', 'kurrentdb+discover']).optional(),
  /** Unset: read models are kept in DATA_DIR. */
  MONGODB_URL: serverUrl(['mongodb', 'mongodb+srv']).optional(),
  /** Unset: the warehouse is kept in DATA_DIR, by processes with the role warehouse. */
  WAREHOUSE_URL: serverUrl(['postgres', 'postgresql']).optional(),
  /** Unset: hints of due deliveries need no server. */
  RABBITMQ_URL: serverUrl(['amqp', 'amqps']).optional(),
  /** Begins the names of the queues: for two installations on one broker. */
  RABBITMQ_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,100}$/, 'must be 1 to 100 letters, digits, dots, hyphens or underscores')
    .prefault('daybook'),
  /** A folder with more object definitions, or other versions of the shipped ones. */
  DEFINITIONS_DIR: text.optional(),
  /** Where clients reach the service, when that is not http://HOST:PORT. */
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL that begins with https:// or http://' })
    .optional(),
  /** Domain of the session cookie, with a leading dot. Unset: only the host itself (docs/open-facts.md 58). */
  COOKIE_DOMAIN: z
    .string()
    .regex(
      /^\.[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i,
      'must be a domain with a leading dot: .example.com',
    )
    .optional(),
  /** Keys that encrypt secrets at rest, newest first. Unset: a key is generated and kept (docs/operations.md). */
  SECRETS_KEYS: secretsKeys.optional(),
  /** The one origin whose scripts may use the API (docs/interface.md#cross-origin-headers). Unset: none. */
  APP_ORIGIN: origin.optional(),
  /** Files with the certificate (its chain after it) and its key, in PEM. */
  TLS_CERT: text.optional(),
  TLS_KEY: text.optional(),
  /** The proxies whose forwarding headers are trusted. */
  TRUST_PROXY: proxies.optional(),
  /** Requests a minute for each principal, and for each address without one; 0: no limit. */
  RATE_LIMIT_PER_MINUTE: integer({ most: 1_000_000 }).prefault('1200'),
  /** How many requests may come at once. */
  RATE_LIMIT_BURST: integer({ least: 1, most: 1_000_000 }).prefault('100'),
  /** Requests a minute for all principals of a company together; 0: no limit. */
  COMPANY_RATE_LIMIT_PER_MINUTE: integer({ most: 10_000_000 }).prefault('0'),
  /** Rows of batches a minute for each company: 0 (no limit), or as many as a batch may have and more. */
  COMPANY_ROWS_PER_MINUTE: integer({ most: 10_000_000 })
    .refine((value) => value === 0 || value >= 500, 'must be 0, or an integer from 500')
    .prefault('0'),
  /** Tables, snapshots and audits that are sent at the same time; more wait. */
  EXPORTS_AT_ONCE: integer({ least: 1, most: 100 }).prefault('4'),
  /** The largest file that is imported, in bytes. */
  IMPORT_MAX_BYTES: integer({ least: 1, most: 1_073_741_824 }).prefault('104857600'),
  /** What a workbook may come to when it is unpacked, in bytes. */
  IMPORT_MAX_INFLATED: integer({ least: 1, most: 17_179_869_184 }).prefault('2147483648'),
  IMPORT_MAX_ROWS: integer({ least: 1, most: 10_000_000 }).prefault('2000000'),
  /** Imports that a process works on at the same time; of a company it is one. */
  IMPORTS_AT_ONCE: integer({ least: 1, most: 100 }).prefault('2'),
  /** Days that files and staged rows of imports are kept after those have ended. */
  IMPORT_KEEP_FILES_DAYS: integer({ least: 1, most: 3_650 }).prefault('90'),
  INBOX_KEEP_DAYS: integer({ least: 1, most: 3_650 }).prefault('90'),
  /** Folders that a company may have files picked up from, as `<company>/<name>=<path>`. */
  IMPORT_FOLDERS: importFolders.prefault(''),
  /** SFTP servers that files may be picked up from: `host:port`, and ranges of addresses. Unset: none. */
  IMPORT_SFTP_ALLOW: sftpAllowed.prefault(''),
  /** Address ranges that webhooks may be sent to beyond public ones, such as 10.0.0.0/8. */
  WEBHOOK_ALLOW_ADDRESSES: addressRanges.prefault(''),
  /** The header that carries the signature (docs/interface.md#signatures). */
  WEBHOOK_SIGNATURE_HEADER: headerName.default('X-Hub-Signature-256'),
  /** Waits before each attempt of a delivery, such as 0s,5s,5m (docs/open-facts.md 30). */
  WEBHOOK_SCHEDULE: retrySchedule.optional(),
  /** What is sent when the events were put back to an earlier state. Unset: nothing, until it is set. */
  WEBHOOKS_AFTER_RESTORE: oneOf(['resend', 'skip']).optional(),
  /** Where the notification-template service listens; 0: any free port. Unset: the port after PORT. */
  NOTIFICATION_PORT: integer({ most: 65_535 }).optional(),
  /** Where recipients reach it, for links in mails. Unset: mails have no link to unsubscribe. */
  NOTIFICATION_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL that begins with https:// or http://' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional(),
  /** The server that takes mails: smtp://user:password@host:587, smtps://… Unset: they become files in DATA_DIR/mail. */
  SMTP_URL: serverUrl(['smtp', 'smtps']).optional(),
  /** Who writes: an address, or a name and an address. */
  MAIL_FROM: mailbox.default('Daybook <daybook@localhost>'),
  MAIL_REPLY_TO: mailbox.optional(),
  /** Only these addresses are written to. Unset: all. */
  MAIL_ALLOW: z
    .string()
    .transform((list) => list.split(',').map((one) => one.trim().toLowerCase()))
    .pipe(z.array(z.email('must be e-mail addresses, separated by commas')))
    .default([]),
  /** Mails an hour of each company and trigger, from each process that sends; 0: no limit. */
  MAIL_RATE_PER_HOUR: integer({ most: 1_000_000 }).prefault('0'),
  /** Days that the bytes of mails are kept; that they were sent, and to which address, stays. */
  MAIL_KEEP_DAYS: integer({ least: 1, most: 3_650 }).prefault('90'),
  /** How late a message may still be sent, in days, where its trigger does not say. */
  MAIL_CATCH_UP_DAYS: integer({ most: 3_650 }).prefault('7'),
  /** The domain and selector of the key that mails are signed with, and its file in PEM. */
  DKIM_DOMAIN: text.optional(),
  DKIM_SELECTOR: text.optional(),
  DKIM_KEY: text.optional(),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** For how long known credentials may read while the event store is away, in seconds; 0: not at all. */
  AUTH_GRACE_SECONDS: integer({ most: 3_600 }).prefault('30'),
  /** How long a write waits for reads to show it, in ms. */
  READ_YOUR_WRITES_MS: integer({ most: 60_000 }).prefault('2000'),
  /** First start of an empty store: the company's name, its administrator's e-mail and password, the first API token. */
  BOOTSTRAP_COMPANY: text.max(200, 'must have at most 200 characters').default('My company'),
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
export const SETTING_NAMES: readonly string[] = Object.keys(Settings.shape)

/** The settings that are in the environment without a value, and so have their defaults. */
export function emptySettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  return SETTING_NAMES.filter((name) => environment[name] === '')
}

/** A setting is not valid. The message names it and says why, and never shows the value of a secret. */
export class ConfigError extends Error {}

/** @throws ConfigError naming every setting that is wrong */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  // An empty variable counts as unset: compose files cannot unset one.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const result = Settings.safeParse(given)
  if (result.success) return checkDkim(checkListening(checkSecrets(checkWorkers(checkRoles(result.data)))))
  const lines = result.error.issues.map(({ path, message }) => `  ${path.join('.')}: ${message}`)
  throw new ConfigError(`these settings are not valid:\n${lines.join('\n')}`)
}

/** Who has the event store must not have the keys of its secrets with it. */
function checkSecrets(config: Config): Config {
  if (config.EVENTSTORE_URL !== undefined && config.SECRETS_KEYS === undefined)
    throw new ConfigError(
      'SECRETS_KEYS: must be set with EVENTSTORE_URL, the same for all processes: the result of openssl rand -base64 32, kept apart from the servers',
    )
  return config
}

/** Embedded files belong to one process; only stores on servers can be shared by processes of different roles. */
function checkRoles(config: Config): Config {
  const embedded = !config.EVENTSTORE_URL || !config.MONGODB_URL
  const split = ROLES.some((role) => role !== 'notifications' && !config.ROLES.has(role))
  if (embedded && split)
    throw new ConfigError(
      'ROLES: a process with only some roles needs both EVENTSTORE_URL and MONGODB_URL; without them one process has all roles',
    )
  if (config.ROLES.has('warehouse') && !config.ROLES.has('api'))
    throw new ConfigError('ROLES: warehouse needs api: a process keeps warehouse files to answer from them')
  return config
}

/** Threads of one process read the same files; of servers there can be as many processes. */
function checkWorkers(config: Config): Config {
  if (config.WORKERS > 1 && (config.EVENTSTORE_URL || config.MONGODB_URL))
    throw new ConfigError(
      'WORKERS: must be 1 with EVENTSTORE_URL or MONGODB_URL; with both of them, start more processes instead',
    )
  return config
}

function checkListening(config: Config): Config {
  const fault = listeningFault({ ...config, notifies: config.ROLES.has('notifications') })
  if (fault !== undefined) throw new ConfigError(fault)
  return config
}

function checkDkim(config: Config): Config {
  const given = [config.DKIM_DOMAIN, config.DKIM_SELECTOR, config.DKIM_KEY].filter((one) => one !== undefined)
  if (given.length % 3 !== 0)
    throw new ConfigError('DKIM_DOMAIN, DKIM_SELECTOR and DKIM_KEY: each needs the others')
  return config
}
