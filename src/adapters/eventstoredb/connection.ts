/**
 * The way to the server: one client at a time, replaced when it may no longer work.
 *
 * Replacing is safe at any moment: calls under way on the old client finish or run into their own time limit, and
 * subscriptions, which listen to `retired`, go on with the new one.
 */
import { parseAddress } from './address.ts'
import { type OpenClient, openClient } from './client.ts'
import { isReached, isUnexplained, leaderNamed } from './outcomes.ts'

export interface Link extends Pick<OpenClient, 'read' | 'appends'> {
  /** Aborted when the client is replaced or the connection closed. */
  readonly retired: AbortSignal
}

export interface Connection {
  current(): Link
  /** A call was answered. */
  worked(link: Link): void
  /** A call failed: replaces the client of this link where another may do better, unless that has been done already. */
  failed(link: Link, error: unknown): void
  /** Replaces the client of this link, unless that has been done already. */
  replace(link: Link): void
  close(): void
}

/** A node of a cluster that answers so often in a row without saying what is wrong may have lost the others. */
const MOST_UNEXPLAINED = 3

/** @throws Error when the address cannot be used */
export function connection({ url }: { readonly url: string }): Connection {
  let address = parseAddress(url)
  let open = openLink(openClient(address))
  let unexplained = 0

  function replace(link: Link, error?: unknown): void {
    if (link !== open.link) return
    const { client, retire } = open
    try {
      address = parseAddress(url)
    } catch {
      // A certificate file that is just being renewed, say: the old one stays for now.
    }
    open = openLink(openClient(address, { to: leaderNamed(error), failed: client.node() }))
    unexplained = 0
    retire()
  }

  return {
    current: () => open.link,
    worked: (link) => {
      if (link === open.link) unexplained = 0
    },
    failed: (link, error) => {
      if (link === open.link && isUnexplained(error)) unexplained++
      if (!isReached(error) || (address.discovers && unexplained >= MOST_UNEXPLAINED)) replace(link, error)
    },
    replace,
    close: () => open.retire(),
  }
}

function openLink(client: OpenClient) {
  const retired = new AbortController()
  const link: Link = { read: client.read, appends: client.appends, retired: retired.signal }
  return {
    client,
    link,
    retire: () => {
      retired.abort()
      client.appends.close()
      client.close()
    },
  }
}
