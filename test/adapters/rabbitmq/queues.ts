/** Queues of a test on a broker: each test has its own, under a prefix that no other has, and they are closed after it. */
import { randomUUID } from 'node:crypto'
import { connect, type Channel } from 'amqplib'
import { rabbitmqDeliveryQueue } from '../../../src/adapters/rabbitmq/delivery-queue.ts'
import type { RabbitmqDeliveryQueueOptions } from '../../../src/adapters/rabbitmq/delivery-queue.ts'
import { topologyOf, type Topology } from '../../../src/adapters/rabbitmq/topology.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { DELIVERY_LIMIT, type DeliveryQueue } from '../../../src/ports/delivery-queue.ts'
import { caught, delivery, until } from '../../contracts/delivery-queue/consuming.ts'

export interface Queues {
  /** Opens the test's queue, once more each time. */
  open(settings?: Partial<RabbitmqDeliveryQueueOptions>): DeliveryQueue
  readonly prefix: string
  topology(): Topology
  /** What the queues have told of. */
  readonly troubles: readonly string[]
}

export const freshPrefix = (): string => `daybook-test-${randomUUID().slice(0, 8)}`

/** To be called where the tests are described. */
export function queuesOn(url: () => string): Queues {
  let prefix: string
  let troubles: string[]
  let opened: DeliveryQueue[]
  beforeEach(() => {
    prefix = freshPrefix()
    troubles = []
    opened = []
  })
  afterEach(() => Promise.all(opened.map((queue) => queue.close())))
  return {
    open(settings) {
      const queue = rabbitmqDeliveryQueue({
        url: url(),
        prefix,
        settleMs: 0, // only where the broker is killed are new queues left alone
        timeoutMs: 600,
        onTrouble: (message, error) =>
          troubles.push(`${message}: ${error instanceof Error ? error.message : ''}`),
        ...settings,
      })
      opened.push(queue)
      return queue
    },
    get prefix() {
      return prefix
    },
    topology: () => topologyOf(prefix, DELIVERY_LIMIT),
    get troubles() {
      return troubles
    },
  }
}

/** The first may still be confirmed; none hangs. */
export async function refusesBeforeLong(queue: DeliveryQueue): Promise<void> {
  await until(async () => (await caught(queue.enqueue([delivery('refused')]))) instanceof Unavailable)
}

export async function enqueueAtLast(queue: DeliveryQueue, id: string): Promise<void> {
  await until(async () => (await caught(queue.enqueue([delivery(id)]))) === undefined)
}

/** A look at the broker from the side, as an operator has. */
export async function asOperator<T>(url: string, work: (channel: Channel) => Promise<T>): Promise<T> {
  const model = await connect(url)
  model.on('error', () => {})
  const channel = await model.createChannel()
  channel.on('error', () => {})
  try {
    const result = await work(channel)
    await channel.close() // first: the connection's farewell would overtake what the channel still has to send
    return result
  } finally {
    await model.close()
  }
}
