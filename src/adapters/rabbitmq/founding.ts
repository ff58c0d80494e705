/**
 * Declaring the queues for the first time, so that nothing is confirmed into a queue that is not safe yet.
 *
 * A broker that is killed within about a second of declaring a quorum queue forgets which log on its disk is that
 * queue's: the queue has no leader ever after, confirms nothing, and what it had confirmed is gone. So the queues are
 * declared, left alone until the broker has written that down, and only then a mark (an exchange) is declared; nobody
 * publishes before it is there. Queues without the mark are remains of an interrupted founding: they hold nothing, and
 * are deleted first.
 *
 * One connection founds at a time, the one that holds an exclusive queue; it is the broker's lock, and goes with the
 * connection.
 */
import type { Channel } from 'amqplib'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { declareTopology, deleteQueues, type Topology } from './topology.ts'

/** The broker saves its directory of queues when it has not changed for 500 ms to 1 s. */
export const SETTLE_MS = 1_500
const RETRY_MS = 200

const NOT_FOUND = 404
const RESOURCE_LOCKED = 405

export interface Founding {
  readonly topology: Topology
  /** How long new queues are left alone; `SETTLE_MS` for them to be safe. */
  readonly settleMs: number
}

/** Resolves when all queues are there and safe. */
export async function foundTopology(connection: Connection, { topology, settleMs }: Founding): Promise<void> {
  while (!(await isFounded(connection, topology))) {
    const found = async (channel: Channel) => {
      await deleteQueues(channel, topology)
      await declareTopology(channel, topology)
      await sleep(settleMs)
      await channel.assertExchange(topology.mark, 'fanout', { durable: true })
    }
    const outcome = await answered(connection, RESOURCE_LOCKED, async (channel) => {
      await channel.assertQueue(topology.lock, { exclusive: true, arguments: { 'x-queue-type': 'classic' } })
      // The one before may have just finished.
      if (!(await isFounded(connection, topology))) await found(channel)
      await channel.deleteQueue(topology.lock)
    })
    if (!outcome) await sleep(RETRY_MS)
  }
  // Whatever has been deleted since comes back.
  await connection.withChannel((channel) => declareTopology(channel, topology))
}

const isFounded = (connection: Connection, { mark }: Topology): Promise<boolean> =>
  answered(connection, NOT_FOUND, (channel) => channel.checkExchange(mark))

/** True when the work is done; false when the broker refuses it with this code. */
async function answered(
  connection: Connection,
  refusal: number,
  work: (channel: Channel) => Promise<unknown>,
): Promise<boolean> {
  try {
    await connection.withChannel(work)
    return true
  } catch (error) {
    if ((error as { code?: unknown }).code === refusal) return false
    throw error
  }
}
