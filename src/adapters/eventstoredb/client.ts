/**
 * Opens a client of @eventstore/db-client 6.2.1 in the way that this adapter needs it. What is changed, and why:
 *
 * - Appends use the `Append` call, one call each, never `BatchAppend`. The package keeps the pending batch appends of
 *   all clients of the process in one table; any failing stream rejects and clears all of them, and an answer that then
 *   arrives for one of them is thrown out of an event handler, which ends the process. It ignores deadlines, too.
 * - `handleError` runs unwatched, so a failing discovery inside it would be an unhandled rejection.
 * - The channel is remembered, because the package closes it only after certain errors. It has to be closed: as long as
 *   it is open, a new client would share its connection, and one that failed waits up to two minutes before it tries again.
 */
import { EventStoreDBClient } from '@eventstore/db-client'

export interface OpenClient {
  readonly client: EventStoreDBClient
  /** Lets calls under way finish and takes no more. */
  readonly close: () => void
}

interface Channel {
  close(): void
}

/** Members of the package's client that its types hide. */
interface Internals {
  supports: (method: unknown) => Promise<boolean>
  getChannel: () => Promise<Channel>
  handleError: (client: unknown, error: Error) => Promise<void>
}

/**
 * @param url an EventStoreDB connection string; its TLS settings and credentials are used as they are
 * @throws Error when the string cannot be used; the message does not repeat it, for it may hold a password
 */
export function openClient(url: string): OpenClient {
  const client = parse(withErrors(url))
  const internals = client as unknown as Internals
  const { getChannel, handleError } = internals
  let channel: Promise<Channel> | undefined
  internals.supports = () => Promise.resolve(false)
  internals.getChannel = () => (channel = getChannel())
  internals.handleError = (grpcClient, error) => handleError(grpcClient, error).catch(() => {})
  return {
    client,
    close: () => {
      channel?.then(
        (opened) => opened.close(),
        () => {},
      )
    },
  }
}

function parse(url: string): EventStoreDBClient {
  try {
    return EventStoreDBClient.connectionString(url)
  } catch (error) {
    if (!(error instanceof Error) || 'connectionString' in error) {
      throw new Error(
        'the address of the event store is no EventStoreDB connection string (esdb://host:2113?tls=true)',
      )
    }
    throw error
  }
}

/** A conflict must come as an error, whatever the address says: of a setting the last value wins. */
function withErrors(url: string): string {
  const address = url.trim().replace(/\/+$/, '')
  const afterCredentials = address.replace(/^[^:]+:\/\/(?:[^:]+:[^@]+@)?/, '')
  return `${address}${afterCredentials.includes('?') ? '&' : '?'}throwOnAppendFailure=true`
}
