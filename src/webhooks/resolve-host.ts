/** Where a host is: for the check of a URL before it is used. */
import { lookup } from 'node:dns/promises'
import { setTimeout as delay } from 'node:timers/promises'

const RESOLVE_MS = 1_000

/** The addresses of a host; empty when they cannot be found out soon. */
export async function resolveHost(host: string): Promise<readonly string[]> {
  const found = lookup(host, { all: true }).then(
    (all) => all.map(({ address }) => address),
    () => [],
  )
  return Promise.race([found, delay(RESOLVE_MS, [], { ref: false })])
}
