/**
 * One listener's share of the hints, over a connection of its own: at most as many unacknowledged as it handles at once.
 *
 * A hint is acknowledged when its handler has settled. What is unacknowledged when the connection ends, the broker hands to
 * another listener.
 */
import type { Channel, ConsumeMessage } from 'amqplib'
import type { Listener, Listening } from '../../ports/hints.ts'
import type { Connection } from './connection.ts'
import { decodeHint } from './hint.ts'
import { keepConnected } from './keep-connected.ts'
import { declareTopology, type Topology } from './topology.ts'
import { within } from './within.ts'

export interface ListeningOptions {
  readonly url: string
  readonly topology: Topology
  readonly listener: Listener
  readonly timeoutMs: number
  readonly onTrouble: (message: string, error: unknown) => void
}

export interface BrokerListening extends Listening {
  /** Ends it at once; what is being handled goes back to the broker. */
  drop(): Promise<void>
}

export function listenForHints(options: ListeningOptions): BrokerListening {
  const { url, topology, listener, timeoutMs, onTrouble } = options
  const underWay = new Set<Promise<void>>()
  const ending = new AbortController()
  let stopped: Promise<void> | undefined

  const settle = async (channel: Channel, message: ConsumeMessage, connected: () => boolean) => {
    const hint = decodeHint(message.content)
    if (!hint) onTrouble('a message that is not a hint was dropped from the queue', undefined)
    else
      await listener.handle(hint).catch((error: unknown) => onTrouble('a hint could not be handled', error))
    if (!connected()) return
    try {
      channel.ack(message)
    } catch {
      // The channel ended just now: the broker hands the message over again.
    }
  }
  const receiver = (channel: Channel, connection: Connection) => (message: ConsumeMessage | null) => {
    if (message === null) return connection.cut('the broker ended the consumption: the queue was deleted')
    if (ending.signal.aborted) return // it goes back when the channel is closed; sooner, and it would come again
    let lost = false
    void connection.lost.then(() => (lost = true))
    const done = settle(channel, message, () => !lost)
    underWay.add(done)
    void done.finally(() => underWay.delete(done))
  }

  const link = keepConnected<{ cancel(): Promise<unknown> }>({
    url,
    name: 'daybook: listens for hints',
    timeoutMs,
    onTrouble,
    setUp: async (connection) => {
      if (ending.signal.aborted) return { cancel: () => Promise.resolve() }
      await connection.withChannel((channel) => declareTopology(channel, topology))
      const channel = await connection.channel()
      await channel.prefetch(listener.concurrency)
      const { consumerTag } = await channel.consume(topology.due, receiver(channel, connection))
      return { cancel: () => channel.cancel(consumerTag) }
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
