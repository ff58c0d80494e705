/**
 * The way to the server: one client at a time, replaced when it may no longer work.
 *
 * Replacing is safe at any moment: calls under way on the old client finish or run into their own deadline, and
 * subscriptions, told by `retired`, go on with the new one.
 */
import { type OpenClient, openClient } from './client.ts'

export interface Link extends Pick<OpenClient, 'client' | 'appends'> {
  /** Aborted when the client is replaced or the connection closed. */
  readonly retired: AbortSignal
}

export interface Connection {
  current(): Link
  /** Replaces the client of this link, unless that has been done already. */
  replace(link: Link): void
  close(): void
}

interface OpenLink {
  readonly link: Link
  readonly retire: () => void
}

/** @throws Error when the address cannot be used */
export function connection({ url }: { readonly url: string }): Connection {
  let open = openLink(url)
  return {
    current: () => open.link,
    replace: (failed) => {
      if (failed !== open.link) return
      const { retire } = open
      try {
        open = openLink(url)
      } catch {
        return // A certificate file that is just being renewed, say: the old client stays for now.
      }
      retire()
    },
    close: () => open.retire(),
  }
}

function openLink(url: string): OpenLink {
  const { client, appends, close } = openClient(url)
  const retired = new AbortController()
  return {
    link: { client, appends, retired: retired.signal },
    retire: () => {
      retired.abort()
      close()
    },
  }
}
