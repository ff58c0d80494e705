/**
 * The delivery queue on RabbitMQ, 3.10 or later: quorum queues, confirmed publishing, acknowledgement after the work.
 *
 * It holds hints only. When the broker loses its data, the sweep of the outbox enqueues again what was due.
 */
import { Unavailable } from '../../domain/errors.ts'
import { DELIVERY_LIMIT, delayOf, type DeliveryQueue } from '../../ports/delivery-queue.ts'
import { consumeMessages, type BrokerConsumption } from './consumption.ts'
import { parseUrl } from './connection.ts'
import { SETTLE_MS } from './founding.ts'
import { publisher } from './publisher.ts'
import { countMessages, topologyOf } from './topology.ts'
import { within } from './within.ts'

export interface RabbitmqDeliveryQueueOptions {
  /** See `ConnectionOptions.url`. */
  readonly url: string
  /** Called for what an operator should know: lost connections, blocked brokers, abandoned deliveries. */
  readonly onTrouble: (message: string, error: unknown) => void
  /** Begins the names of all queues and exchanges; services that share a broker differ in it, or in their vhost. */
  readonly prefix?: string
  /** Longest wait for the broker, in each step of a call. */
  readonly timeoutMs?: number
  /** Fixed once the queues exist. */
  readonly deliveryLimit?: number
  /** How long queues are left alone when they are new. Less than the default is for brokers that nobody kills. */
  readonly settleMs?: number
}

const STATUS_MS = 2_000

/** Does not wait for the broker: the first call does. @throws Error when the URL cannot be used */
export function rabbitmqDeliveryQueue({
  url,
  onTrouble,
  prefix = 'daybook',
  timeoutMs = 5_000,
  deliveryLimit = DELIVERY_LIMIT,
  settleMs = SETTLE_MS,
}: RabbitmqDeliveryQueueOptions): DeliveryQueue {
  parseUrl(url)
  const topology = topologyOf(prefix, deliveryLimit)
  const founding = { topology, settleMs }
  const { link, publish } = publisher({ url, founding, timeoutMs, onTrouble })
  const consumptions = new Set<BrokerConsumption>()
  let closed = false

  return {
    async enqueue(deliveries) {
      const hints = deliveries.map(({ delayMs, ...delivery }) => ({
        hint: { delivery, failures: 0 },
        delayMs: delayOf(delayMs),
      }))
      await publish(hints)
    },

    consume(consumer) {
      if (closed) throw new Unavailable('the delivery queue is closed')
      const consumption = consumeMessages({
        url,
        founding,
        consumer,
        timeoutMs,
        onTrouble,
        publish: (hint, delayMs) => publish([{ hint, delayMs }]),
      })
      consumptions.add(consumption)
      return {
        async stop() {
          await consumption.stop()
          consumptions.delete(consumption)
        },
      }
    },

    async status() {
      const blocked = () => link.current()?.connection.blocked() === true
      try {
        const { channel } = await link.wait(STATUS_MS)
        const counts = await within(STATUS_MS, 'counting deliveries', countMessages(channel, topology))
        return { state: blocked() ? 'blocked' : 'open', ...counts }
      } catch {
        return { state: blocked() ? 'blocked' : 'unreachable' }
      }
    },

    async close() {
      closed = true
      await Promise.all([...consumptions].map((consumption) => consumption.drop()))
      await link.close()
    },
  }
}
