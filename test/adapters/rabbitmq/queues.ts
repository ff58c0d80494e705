/** Hints of a test on a broker: each test has its own queues, under a prefix that no other has, closed after it. */
import { randomUUID } from 'node:crypto'
import { connect, type Channel } from 'amqplib'
import { rabbitmqHints, type RabbitmqHintsOptions } from '../../../src/adapters/rabbitmq/hints.ts'
import { topologyOf, type Topology } from '../../../src/adapters/rabbitmq/topology.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import type { Hints } from '../../../src/ports/hints.ts'
import { caught, hint, until } from '../../contracts/hints/listening.ts'

export interface Queues {
  /** Opens the test's hints, once more each time. */
  open(settings?: Partial<RabbitmqHintsOptions>): Hints
  readonly prefix: string
  topology(): Topology
  /** What was reported. */
  readonly troubles: readonly string[]
}

export const freshPrefix = (): string => `daybook-test-${randomUUID().slice(0, 8)}`

/** To be called where the tests are described. */
export function queuesOn(url: () => string): Queues {
  let prefix: string
  let troubles: string[]
  let opened: Hints[]
  beforeEach(() => {
    prefix = freshPrefix()
    troubles = []
    opened = []
  })
  afterEach(() => Promise.all(opened.map((hints) => hints.close())))
  return {
    open(settings) {
      const hints = rabbitmqHints({
        url: url(),
        prefix,
        timeoutMs: 600,
        onTrouble: (message, error) =>
          troubles.push(`${message}: ${error instanceof Error ? error.message : ''}`),
        ...settings,
      })
      opened.push(hints)
      return hints
    },
    get prefix() {
      return prefix
    },
    topology: () => topologyOf(prefix),
    get troubles() {
      return troubles
    },
  }
}

/** The first may still be confirmed; none hangs. */
export async function refusesBeforeLong(hints: Hints): Promise<void> {
  await until(async () => (await caught(hints.publish([hint('refused')]))) instanceof Unavailable)
}

export async function publishAtLast(hints: Hints, endpoint: string): Promise<void> {
  await until(async () => (await caught(hints.publish([hint(endpoint)]))) === undefined)
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
