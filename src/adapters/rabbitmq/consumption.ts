/**
 * One consumer's share of the deliveries: a connection of its own, over which messages come, at most as many
 * unacknowledged as it may have under way, and acknowledgements go.
 *
 * A message is acknowledged only when what follows from it is safe: the work is done, or the same hint is confirmed in
 * another queue. Whatever is unacknowledged when the connection ends, the broker hands to another.
 */
import type { Channel, ConsumeMessage } from 'amqplib'
import { setTimeout as sleep } from 'node:timers/promises'
import { delayOf, pauseAfter, type Consumer, type Consumption } from '../../ports/delivery-queue.ts'
import type { Connection } from './connection.ts'
import { foundTopology, type Founding } from './founding.ts'
import { decodeHint, type Hint } from './hint.ts'
import { keepConnected } from './keep-connected.ts'
import { backOff, within } from './within.ts'

export interface ConsumptionOf {
  readonly url: string
  readonly founding: Founding
  readonly consumer: Consumer
  readonly timeoutMs: number
  /** Stores a hint anew; its promise is the publisher's. */
  readonly publish: (hint: Hint, delayMs: number) => Promise<void>
  readonly onTrouble: (message: string, error: unknown) => void
}

export interface BrokerConsumption extends Consumption {
  /** Ends it at once; what is under way goes back to the broker. */
  drop(): Promise<void>
}

/** Hints of abandoned deliveries under way at once. */
const ABANDONED_AT_ONCE = 4

type Fate = 'settled' | 'refused' | 'unsettled'

export function consumeMessages(options: ConsumptionOf): BrokerConsumption {
  const { url, founding, consumer, timeoutMs, publish, onTrouble } = options
  const { topology } = founding
  const { deliveryLimit } = topology
  const underWay = new Set<Promise<void>>()
  const ending = new AbortController()
  let stopped: Promise<void> | undefined

  const work = async (hint: Hint, connected: () => boolean): Promise<Fate> => {
    const { delivery, failures } = hint
    if (failures >= deliveryLimit) return 'refused'
    try {
      const handled = await consumer.handle(delivery)
      if (handled === 'done') return 'settled'
      const delayMs = delayOf(handled.againInMs)
      return await again({ delivery, failures: 0 }, delayMs, connected)
    } catch (error) {
      onTrouble(`delivery ${delivery.id} failed, the ${failures + 1}. time in a row`, error)
      if (failures + 1 >= deliveryLimit) return 'refused'
      return again({ delivery, failures: failures + 1 }, pauseAfter(failures + 1), connected)
    }
  }

  /** Keeps its place while the broker takes nothing: a full house of these is how consuming pauses. */
  const again = async (hint: Hint, delayMs: number, connected: () => boolean): Promise<Fate> => {
    for (;;) {
      try {
        await publish(hint, delayMs)
        return 'settled'
      } catch (error) {
        if (ending.signal.aborted || !connected()) return 'unsettled'
        onTrouble(`delivery ${hint.delivery.id} cannot be put back yet`, error)
      }
    }
  }

  const setAside = async ({ delivery }: Hint, connected: () => boolean): Promise<Fate> => {
    onTrouble(`delivery ${delivery.id} is abandoned: it failed ${deliveryLimit} times in a row`, undefined)
    const pauses = backOff()
    while (connected() && !ending.signal.aborted) {
      try {
        await consumer.abandoned(delivery)
        return 'settled'
      } catch (error) {
        onTrouble(`the abandoned delivery ${delivery.id} is not taken`, error)
        await sleep(pauses.next(), undefined, { signal: ending.signal }).catch(() => {})
      }
    }
    return 'unsettled'
  }

  const receiver =
    (channel: Channel, connection: Connection, does: typeof work) => (message: ConsumeMessage | null) => {
      if (message === null) return connection.cut('the broker ended the consumption: the queue was deleted')
      if (ending.signal.aborted) return // it goes back when the channel is closed; sooner, and it would come again
      let lost = false
      void connection.lost.then(() => (lost = true))
      const done = settle(channel, message, () => !lost, does)
      underWay.add(done)
      void done.finally(() => underWay.delete(done))
    }

  const settle = async (
    channel: Channel,
    message: ConsumeMessage,
    connected: () => boolean,
    does: typeof work,
  ): Promise<void> => {
    const hint = decodeHint(message)
    if (!hint) onTrouble('a message that is no delivery was dropped from the queue', undefined)
    const fate = hint ? await does(hint, connected) : 'settled'
    if (!connected() || fate === 'unsettled') return
    try {
      if (fate === 'settled') channel.ack(message)
      else channel.reject(message, false)
    } catch {
      // The channel ended just now: the broker hands the message over again.
    }
  }

  const link = keepConnected<{ cancel(): Promise<unknown> }>({
    url,
    name: 'daybook: consumes deliveries',
    timeoutMs,
    onTrouble,
    setUp: async (connection) => {
      if (ending.signal.aborted) return { cancel: () => Promise.resolve() }
      await foundTopology(connection, founding)
      const [due, abandoned] = [await connection.channel(), await connection.channel()]
      await due.prefetch(consumer.concurrency)
      await abandoned.prefetch(ABANDONED_AT_ONCE)
      const tags = [
        await due.consume(topology.work, receiver(due, connection, work)),
        await abandoned.consume(topology.abandoned, receiver(abandoned, connection, setAside)),
      ] as const
      return {
        cancel: () => Promise.all([due.cancel(tags[0].consumerTag), abandoned.cancel(tags[1].consumerTag)]),
      }
    },
  })

  return {
    stop: () =>
      (stopped ??= (async () => {
        ending.abort()
        const cancelled = link.current()?.cancel()
        if (cancelled) await within(timeoutMs, 'ending the consumption', cancelled).catch(() => {})
        while (underWay.size > 0) await Promise.all(underWay)
        await link.close()
      })()),
    async drop() {
      ending.abort()
      await link.close()
    },
  }
}
