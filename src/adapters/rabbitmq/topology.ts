/**
 * The queues for hints, declared on every connection: a broker whose data is gone has them again as soon as it is reached.
 *
 * Their arguments cannot be changed once they exist: a change here needs new names.
 */
import type { Channel } from 'amqplib'

export interface Topology {
  /** What is due. A quorum queue, shared by all processes that send. */
  readonly due: string
  /** Hints whose handlers died `DELIVERY_LIMIT` times: for a person to look at. */
  readonly dead: string
}

/** How often a hint is handed over to handlers that die before it is dead-lettered. */
export const DELIVERY_LIMIT = 20
/** The oldest go first: the sweep of the outbox makes another hint for each anyway. */
const MOST_DEAD = 10_000

export function topologyOf(prefix: string): Topology {
  return { due: `${prefix}.hints`, dead: `${prefix}.hints.dead` }
}

/** @throws Error when one of them exists with other arguments */
export async function declareTopology(channel: Channel, { due, dead }: Topology): Promise<void> {
  await channel.assertQueue(dead, {
    durable: true,
    arguments: { 'x-queue-type': 'quorum', 'x-max-length': MOST_DEAD },
  })
  await channel.assertQueue(due, {
    durable: true,
    arguments: {
      'x-queue-type': 'quorum',
      'x-delivery-limit': DELIVERY_LIMIT - 1, // counts redeliveries
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': dead,
    },
  })
}

/** How many messages wait in each. */
export async function countMessages(
  channel: Channel,
  { due, dead }: Topology,
): Promise<{ readonly waiting: number; readonly abandoned: number }> {
  const [waiting, abandoned] = await Promise.all([channel.checkQueue(due), channel.checkQueue(dead)])
  return { waiting: waiting.messageCount, abandoned: abandoned.messageCount }
}
