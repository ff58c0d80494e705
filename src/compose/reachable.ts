/** Starts that wait for servers. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../ports/log.ts'
import { Unavailable } from '../domain/errors.ts'

const RETRY_MS = 500

/** Servers may come up after this process: what they do not answer yet is asked again. */
export async function reachable<T>(log: Log, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      log.warn({ detail: error.message }, 'waiting for the stores')
      await delay(RETRY_MS)
    }
  }
}
