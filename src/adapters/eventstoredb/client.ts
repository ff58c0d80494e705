/**
 * Opens a client of @eventstore/db-client 6.2.1 in the way that this adapter needs it. What is different, and why:
 *
 * - Appends go through a call of our own (`append-call.ts`) on the client's channel.
 * - `handleError` runs unwatched, so a failing discovery inside it would be an unhandled rejection.
 * - The channel is remembered, because the package closes it only after certain errors. It has to be closed: as long as
 *   it is open, a new client would share its connection, and one that failed waits up to two minutes before it tries again.
 */
import { EventStoreDBClient } from '@eventstore/db-client'
import grpcStreams, { type StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js'
import { type AppendCall, appendCall, type BatchAppendCall } from './append-call.ts'

export interface OpenClient {
  /** For reads and subscriptions. */
  readonly client: EventStoreDBClient
  readonly appends: AppendCall
  /** Lets what is under way finish and takes no more. */
  readonly close: () => void
}

interface Channel {
  close(): void
}

type CallArguments = Parameters<StreamsClient['batchAppend']>

/** Members of the package's client that its types hide. */
interface Internals {
  getChannel: () => Promise<Channel>
  handleError: (client: unknown, error: Error) => Promise<void>
  /** The connection's name, credentials and deadline, as every call has them. */
  callArguments: (options: { requiresLeader: boolean }, call: { deadline: number }) => CallArguments
  /** Opens a call, and turns to the leader when the call fails for want of it. */
  GRPCStreamCreator: (
    service: typeof StreamsClient,
    name: string,
    open: (grpcClient: StreamsClient) => BatchAppendCall,
  ) => () => Promise<BatchAppendCall>
}

/**
 * @param url an EventStoreDB connection string; its TLS settings and credentials are used as they are
 * @throws Error when the string cannot be used; the message does not repeat it, for it may hold a password
 */
export function openClient(url: string): OpenClient {
  const client = parse(url)
  const internals = client as unknown as Internals
  const { getChannel, handleError } = internals
  let channel: Promise<Channel> | undefined
  internals.getChannel = () => (channel = getChannel())
  internals.handleError = (grpcClient, error) => handleError(grpcClient, error).catch(() => {})
  const appends = appendCall({
    open: internals.GRPCStreamCreator(grpcStreams.StreamsClient, 'append', (grpcClient) =>
      grpcClient.batchAppend(...internals.callArguments({ requiresLeader: true }, { deadline: Infinity })),
    ),
  })
  return {
    client,
    appends,
    close: () => {
      appends.close()
      channel?.then(
        (opened) => opened.close(),
        () => {},
      )
    },
  }
}

/** @throws Error when the client does not take the URL, or it names files that cannot be read; without its password */
export function checkUrl(url: string): void {
  parse(url)
}

function parse(url: string): EventStoreDBClient {
  // What the package warns of, it prints with the whole URL.
  for (const [name, value] of new URLSearchParams(/\?(.*)/.exec(url)?.[1])) {
    if (!OPTIONS.has(flat(name))) throw new Error(`the client of EventStoreDB knows no option ${name}`)
    if (flat(name) === flat('tlsVerifyCert') && value !== 'true')
      throw new Error('certificates are always verified: name the authority that they are of by tlsCAFile')
  }
  try {
    return EventStoreDBClient.connectionString(url.replace(/^kurrentdb/, 'esdb'))
  } catch (error) {
    if (!(error instanceof Error) || 'connectionString' in error) {
      throw new Error(
        'the address of the event store is no EventStoreDB connection string (esdb://host:2113?tls=true)',
      )
    }
    throw error
  }
}

const flat = (name: string) => name.trim().toLowerCase().replace(/[_-]/g, '')

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
