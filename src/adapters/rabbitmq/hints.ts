/**
 * Hints over RabbitMQ, 3.10 or later: one durable quorum queue, confirmed publishing, acknowledgement after the work.
 *
 * When the broker loses its data, the sweep of the outbox publishes again what is due.
 */
import { Unavailable } from '../../domain/errors.ts'
import type { Hints } from '../../ports/hints.ts'
import { parseUrl } from './connection.ts'
import { listenForHints, type BrokerListening } from './listening.ts'
import { publisher } from './publisher.ts'
import { countMessages, topologyOf } from './topology.ts'
import { within } from './within.ts'

export interface RabbitmqHintsOptions {
  /** See `ConnectionOptions.url`. */
  readonly url: string
  /** Called for what an operator should know: lost connections, blocked brokers, hints that cannot be read. */
  readonly onTrouble: (message: string, error: unknown) => void
  /** Begins the names of the queues; installations that share a broker differ in it, or in their vhost. */
  readonly prefix?: string
  /** Longest wait for the broker, in each step of a call. */
  readonly timeoutMs?: number
}

const STATUS_MS = 2_000

/** Does not wait for the broker: the first call does. @throws Error when the URL cannot be used */
export function rabbitmqHints(options: RabbitmqHintsOptions): Hints {
  const { url, onTrouble, prefix = 'daybook', timeoutMs = 5_000 } = options
  parseUrl(url)
  const topology = topologyOf(prefix)
  const { link, publish } = publisher({ url, topology, timeoutMs, onTrouble })
  const listenings = new Set<BrokerListening>()
  let closed = false

  return {
    publish,

    listen(listener) {
      if (closed) throw new Unavailable('The hints are closed.')
      const listening = listenForHints({ url, topology, listener, timeoutMs, onTrouble })
      listenings.add(listening)
      return {
        async stop() {
          await listening.stop()
          listenings.delete(listening)
        },
      }
    },

    async status() {
      const blocked = () => link.current()?.connection.blocked() === true
      try {
        const { channel } = await link.wait(link.isAway() ? 0 : STATUS_MS)
        const counts = await within(STATUS_MS, 'counting hints', countMessages(channel, topology))
        return { state: blocked() ? 'blocked' : 'open', ...counts }
      } catch {
        return { state: blocked() ? 'blocked' : 'unreachable' }
      }
    },

    async close() {
      closed = true
      await Promise.all([...listenings].map((listening) => listening.drop()))
      await link.close()
    },
  }
}
