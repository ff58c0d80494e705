/**
 * Publishing hints with confirms, so that the broker has them on disk, and `mandatory`, because the broker also confirms
 * what it could route nowhere and dropped.
 *
 * Publishing has a connection of its own. A broker that is short of memory or disk stops reading from those who publish,
 * and must not stop reading the acknowledgements of those who listen.
 */
import { randomUUID } from 'node:crypto'
import type { Channel, ConfirmChannel } from 'amqplib'
import { Unavailable, messageOf } from '../../domain/errors.ts'
import type { Hint } from '../../ports/hints.ts'
import type { Connection } from './connection.ts'
import { encodeHint } from './hint.ts'
import { keepConnected, type Link } from './keep-connected.ts'
import { declareTopology, type Topology } from './topology.ts'
import { within } from './within.ts'

export interface Publishing {
  readonly connection: Connection
  /** For questions; its end is the connection's end, as that of any channel. */
  readonly channel: Channel
  /** Resolves when the broker has confirmed it. */
  send(hint: Hint): Promise<void>
}

export interface PublisherOptions {
  readonly url: string
  readonly topology: Topology
  readonly timeoutMs: number
  readonly onTrouble: (message: string, error: unknown) => void
}

export interface Publisher {
  readonly link: Link<Publishing>
  /** @throws Unavailable at once when the broker is known to be away or blocked, else within about `timeoutMs` */
  publish(hints: readonly Hint[]): Promise<void>
}

/** Messages sent before the confirms of all of them are waited for. */
const BATCH = 500
/**
 * A queue that confirms nothing this often in a row is deleted and declared again. A broker killed right after it declared
 * a quorum queue can forget the queue's log: the queue is there, without a leader, for ever.
 */
const SILENCES = 2

export function publisher({ url, topology, timeoutMs, onTrouble }: PublisherOptions): Publisher {
  let silences = 0
  const link = keepConnected<Publishing>({
    url,
    name: 'daybook: publishes hints',
    timeoutMs,
    onTrouble,
    setUp: async (connection) => {
      if (silences >= SILENCES) {
        await connection.withChannel((channel) => channel.deleteQueue(topology.due))
        silences = 0
      }
      await connection.withChannel((channel) => declareTopology(channel, topology))
      const channel = await connection.channel()
      return { connection, channel, send: sender(await connection.confirmChannel(), topology) }
    },
  })

  const publishBatch = async (hints: readonly Hint[]) => {
    const patience = link.isAway() ? 0 : timeoutMs
    const { connection, send } = await link.wait(patience)
    if (connection.blocked()) throw new Unavailable('RabbitMQ takes no messages for now')
    try {
      await within(timeoutMs, 'publishing hints', Promise.all(hints.map(send)))
      silences = 0
    } catch (error) {
      if (error instanceof Unroutable)
        onTrouble('RabbitMQ has lost the queue of hints: it is declared again', error)
      if (error instanceof Unavailable && !connection.blocked()) silences++
      // It may be stuck, or its queues gone: the next connection declares them again. A blocked one only has to wait.
      if (!connection.blocked()) connection.cut(messageOf(error))
      throw new Unavailable(`hints could not be published: ${messageOf(error)}`)
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

function sender(channel: ConfirmChannel, { due }: Topology): Publishing['send'] {
  const returned = new Set<string>()
  // Comes before the confirm of the same message.
  channel.on('return', ({ properties }) => returned.add(String(properties.messageId)))

  return (hint) =>
    new Promise((resolve, reject) => {
      const messageId = randomUUID()
      const options = {
        persistent: true,
        mandatory: true,
        contentType: 'application/json',
        type: 'daybook.hint',
        messageId,
      }
      channel.publish('', due, encodeHint(hint), options, (error: Error | null) => {
        const unroutable = returned.delete(messageId)
        if (error) reject(error)
        else if (unroutable) reject(new Unroutable('the broker could route the message to no queue'))
        else resolve()
      })
    })
}
