/**
 * Publishing with the broker's word that it has the message on disk: publisher confirms, and `mandatory`, because the
 * broker also confirms what it could route nowhere and dropped.
 *
 * Publishing has a connection of its own. A broker that is short of memory or disk stops reading from those who publish,
 * and must not stop reading the acknowledgements of those who consume.
 */
import { randomUUID } from 'node:crypto'
import type { Channel, ConfirmChannel } from 'amqplib'
import { Unavailable } from '../../domain/errors.ts'
import type { Connection } from './connection.ts'
import { delayRoute } from './delay-ladder.ts'
import { foundTopology, type Founding } from './founding.ts'
import { encodeHint, type Hint } from './hint.ts'
import { keepConnected, type Link } from './keep-connected.ts'
import type { Topology } from './topology.ts'
import { messageOf, within } from './within.ts'

export interface Publishing {
  readonly connection: Connection
  /** For questions; its end is the connection's end, as that of any channel. */
  readonly channel: Channel
  /** Resolves when the broker has confirmed it. */
  send(hint: Hint, delayMs?: number): Promise<void>
}

export interface PublisherOptions {
  readonly url: string
  readonly founding: Founding
  readonly timeoutMs: number
  readonly onTrouble: (message: string, error: unknown) => void
}

export interface Publisher {
  readonly link: Link<Publishing>
  /** @throws Unavailable within about twice `timeoutMs`; some may then have been stored */
  publish(hints: readonly { readonly hint: Hint; readonly delayMs?: number | undefined }[]): Promise<void>
}

/** Messages sent before the confirms of all of them are waited for. */
const BATCH = 500

export function publisher({ url, founding, timeoutMs, onTrouble }: PublisherOptions): Publisher {
  const link = keepConnected<Publishing>({
    url,
    name: 'daybook: publishes deliveries',
    timeoutMs,
    onTrouble,
    setUp: async (connection) => {
      await foundTopology(connection, founding)
      const channel = await connection.channel()
      return { connection, channel, send: sender(await connection.confirmChannel(), founding.topology) }
    },
  })

  const publishBatch = async (hints: readonly { hint: Hint; delayMs?: number | undefined }[]) => {
    const { connection, send } = await link.wait(timeoutMs, ({ connection }) => !connection.blocked())
    try {
      const confirmed = Promise.all(hints.map(({ hint, delayMs }) => send(hint, delayMs)))
      await within(timeoutMs, 'publishing deliveries', confirmed)
    } catch (error) {
      if (error instanceof Unroutable) onTrouble('RabbitMQ has no queue for deliveries any more', error)
      // It may be stuck, or its queues gone: the next connection declares them again. A blocked one only has to wait.
      if (!connection.blocked()) connection.cut(messageOf(error))
      throw new Unavailable(`deliveries could not be enqueued: ${messageOf(error)}`)
    }
  }

  return {
    link,
    async publish(hints) {
      for (let from = 0; from < hints.length; from += BATCH)
        await publishBatch(hints.slice(from, from + BATCH))
    },
  }
}

class Unroutable extends Error {}

function sender(channel: ConfirmChannel, topology: Topology): Publishing['send'] {
  const returned = new Set<string>()
  // Comes before the confirm of the same message.
  channel.on('return', ({ properties }) => returned.add(String(properties.messageId)))

  return (hint, delayMs) =>
    new Promise((resolve, reject) => {
      const route = delayRoute(delayMs)
      const { content, headers } = encodeHint(hint)
      const messageId = randomUUID()
      const options = {
        persistent: true,
        mandatory: true,
        contentType: 'application/json',
        type: 'daybook.delivery',
        messageId,
        headers,
      }
      const confirmed = (error: Error | null) => {
        const unroutable = returned.delete(messageId)
        if (error) reject(error)
        else if (unroutable) reject(new Unroutable('the broker could route the message to no queue'))
        else resolve()
      }
      const [exchange, key] = route ? [topology.delays[route.level]!, route.key] : ['', topology.work]
      channel.publish(exchange, key, content, options, confirmed)
    })
}
