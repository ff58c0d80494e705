/**
 * The connection string: which nodes to ask, how to reach them, and with which user. The form is that of EventStoreDB's clients, so
 * that a string that works there works here. Everything is read from the leader, whatever `nodePreference` says.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'

export interface Node {
  readonly host: string
  readonly port: number
}

export interface Tls {
  readonly ca?: Buffer
  readonly key?: Buffer
  readonly cert?: Buffer
}

export interface Address {
  readonly nodes: readonly Node[]
  /** The nodes are asked who leads; otherwise there is one node, and it is used as it is. */
  readonly discovers: boolean
  /** Absent: connections are not encrypted, and credentials are not sent. */
  readonly tls?: Tls
  /** The `authorization` header of every call. */
  readonly authorization?: string
  readonly connectionName: string
  /** In ms; 0: never. */
  readonly keepAlive: { readonly interval: number; readonly timeout: number }
  /** How often the nodes are asked who leads, and how long (in ms) one may take and the next round waits. */
  readonly discovery: { readonly attempts: number; readonly timeout: number; readonly pause: number }
}

const FORM =
  /^\s*(?:esdb|kurrentdb)(?<discover>\+discover)?:\/\/(?:(?<user>[^:@/]+):(?<password>[^@/]*)@)?(?<hosts>[^/?@]+)\/*(?:\?(?<options>.*?))?\s*$/

/**
 * @throws Error when the string cannot be used or names files that cannot be read; the message does not repeat it, for it
 *   may hold a password
 */
export function parseAddress(url: string): Address {
  const { discover, user, password, hosts, options: query } = FORM.exec(url)?.groups ?? {}
  const nodes = hosts?.split(',').map(nodeOf)
  if (!nodes || nodes.includes(undefined))
    throw new Error(
      'the address of the event store is not an EventStoreDB connection string (esdb://host:2113?tls=true)',
    )
  const options = optionsOf(query)
  const tls = flag(options, 'tls', true) ? tlsOf(options) : undefined
  return {
    nodes: nodes as readonly Node[],
    discovers: discover !== undefined || nodes.length > 1,
    ...(tls && { tls }),
    // Never in the clear.
    ...(tls && user !== undefined && { authorization: basic(user, password ?? '') }),
    connectionName: options.get('connectionname') ?? randomUUID(),
    keepAlive: {
      interval: whole(options, 'keepAliveInterval', 10_000, -1),
      timeout: whole(options, 'keepAliveTimeout', 10_000, -1),
    },
    discovery: {
      attempts: whole(options, 'maxDiscoverAttempts', 10, 1),
      timeout: whole(options, 'gossipTimeout', 1, 1) * 1_000,
      pause: whole(options, 'discoveryInterval', 100, 0),
    },
  }
}

function nodeOf(text: string): Node | undefined {
  const { name, port = '2113' } =
    /^(?<name>\[[0-9a-fA-F:.]+\]|[^\s:[\]]+)(?::(?<port>\d{1,5}))?$/.exec(text.trim())?.groups ?? {}
  return name === undefined || Number(port) > 65_535 ? undefined : { host: name, port: Number(port) }
}

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${decodeURIComponent(user)}:${decodeURIComponent(password)}`).toString('base64')}`

function tlsOf(options: Options): Tls {
  const [ca, cert, key] = ['tlsCAFile', 'userCertFile', 'userKeyFile'].map((name) => file(options, name))
  if (!cert !== !key) throw new Error('userCertFile and userKeyFile belong together: one of them is missing')
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
}

/** Values by the names of `OPTIONS` in their flat form. */
type Options = ReadonlyMap<string, string>

function optionsOf(query = ''): Options {
  const options = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query.replaceAll('+', '%2B'))) {
    if (!OPTIONS.has(flat(name))) throw new Error(`the client of EventStoreDB knows no option ${name}`)
    options.set(flat(name), value.trim())
  }
  if (!flag(options, 'tlsVerifyCert', true))
    throw new Error('certificates are always verified: name the authority that issued them by tlsCAFile')
  return options
}

function flag(options: Options, name: string, otherwise: boolean): boolean {
  const value = options.get(flat(name)) ?? String(otherwise)
  if (value !== 'true' && value !== 'false') throw new Error(`the option ${name} must be true or false`)
  return value === 'true'
}

function whole(options: Options, name: string, otherwise: number, least: number): number {
  const value = Number(options.get(flat(name)) ?? otherwise)
  if (!Number.isSafeInteger(value) || value < least)
    throw new Error(`the option ${name} must be an integer of at least ${least}`)
  return value
}

function file(options: Options, name: string): Buffer | undefined {
  const path = options.get(flat(name))
  if (path === undefined) return undefined
  try {
    return readFileSync(path)
  } catch (error) {
    throw new Error(`the file of the option ${name} cannot be read: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

const flat = (name: string) => name.trim().toLowerCase().replace(/[_-]/g, '')

/** Those of EventStoreDB's clients; some of them have no effect here. */
const OPTIONS: ReadonlySet<string> = new Set(
  [
    'connectionName',
    'defaultDeadline',
    'discoveryInterval',
    'gossipTimeout',
    'keepAliveInterval',
    'keepAliveTimeout',
    'maxDiscoverAttempts',
    'nodePreference',
    'throwOnAppendFailure',
    'tls',
    'tlsCAFile',
    'tlsVerifyCert',
    'userCertFile',
    'userKeyFile',
  ].map(flat),
)
