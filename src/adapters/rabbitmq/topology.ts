/**
 * The queues and exchanges of the delivery queue. Declared on every connection: a broker whose data is gone has them
 * again as soon as it is reached. The first time takes more care; see `founding.ts`.
 *
 * All queues are quorum queues, which survive the loss of a broker, and dead-letter at least once, so that no message is
 * lost on the way from one to the next. Their arguments cannot be changed once they exist: a change here needs new names.
 */
import type { Channel } from 'amqplib'
import { bindingKey, LEVELS, timeToLive } from './delay-ladder.ts'

export interface Topology {
  /** What is due. */
  readonly work: string
  /** What has failed too often. */
  readonly abandoned: string
  /** Queue and exchange of each level of the delay ladder, the shortest first. */
  readonly delays: readonly string[]
  /** An exchange: the queues have been declared and are safe. */
  readonly mark: string
  /** An exclusive queue: its holder may declare them for the first time. */
  readonly lock: string
  /** How often a message is handed over before a consumer that dies over it no longer gets it. */
  readonly deliveryLimit: number
}

export function topologyOf(prefix: string, deliveryLimit: number): Topology {
  return {
    deliveryLimit,
    work: `${prefix}.deliveries`,
    abandoned: `${prefix}.deliveries.abandoned`,
    delays: Array.from({ length: LEVELS }, (_, level) => `${prefix}.delay.${String(level).padStart(2, '0')}`),
    mark: `${prefix}.founded`,
    lock: `${prefix}.founding`,
  }
}

/** @throws Error when one of them is there with other arguments */
export async function declareTopology(
  channel: Channel,
  { work, abandoned, delays, deliveryLimit }: Topology,
): Promise<void> {
  // What is set aside waits for as long as it takes; newer brokers would drop it after 20 returns.
  await quorumQueue(channel, abandoned, { 'x-delivery-limit': 1_000_000 })
  await quorumQueue(channel, work, {
    'x-delivery-limit': Math.max(1, deliveryLimit - 1), // counts redeliveries
    ...deadLetters('', abandoned),
  })
  for (const [level, name] of delays.entries()) {
    const below = delays[level - 1]
    await channel.assertExchange(name, 'topic', { durable: true })
    await quorumQueue(channel, name, {
      'x-message-ttl': timeToLive(level),
      ...(below === undefined ? deadLetters('', work) : deadLetters(below)),
    })
    await channel.bindQueue(name, name, bindingKey(level, '1'))
    if (below === undefined) await channel.bindQueue(work, name, bindingKey(level, '0'))
    else await channel.bindExchange(below, name, bindingKey(level, '0'))
  }
}

/** Those that are there, with what is in them. */
export async function deleteQueues(channel: Channel, { work, abandoned, delays }: Topology): Promise<void> {
  for (const name of [work, abandoned, ...delays]) await channel.deleteQueue(name)
}

/** How many messages wait in each. */
export async function countMessages(
  channel: Channel,
  { work, abandoned, delays }: Topology,
): Promise<{ readonly waiting: number; readonly abandoned: number }> {
  const [aside, ...waiting] = await Promise.all(
    [abandoned, work, ...delays].map(async (name) => (await channel.checkQueue(name)).messageCount),
  )
  return { waiting: waiting.reduce((sum, count) => sum + count, 0), abandoned: aside! }
}

/** Without a routing key of its own, the message keeps the one it came with. */
function deadLetters(exchange: string, routingKey?: string): Record<string, unknown> {
  return {
    'x-dead-letter-exchange': exchange,
    ...(routingKey !== undefined && { 'x-dead-letter-routing-key': routingKey }),
    'x-dead-letter-strategy': 'at-least-once',
    'x-overflow': 'reject-publish', // without which that strategy falls back to at most once
  }
}

async function quorumQueue(
  channel: Channel,
  name: string,
  queueArguments: Record<string, unknown>,
): Promise<void> {
  await channel.assertQueue(name, {
    durable: true,
    arguments: { 'x-queue-type': 'quorum', ...queueArguments },
  })
}
