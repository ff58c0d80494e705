/**
 * The RabbitMQ of a test run: for what any broker must do, the one that `RABBITMQ_URL` names, else an own node; for faults
 * always an own node, of Debian's package, if it is installed.
 */
import type { Channel } from 'amqplib'
import { topologyOf } from '../../src/adapters/rabbitmq/topology.ts'
import { asOperator, freshPrefix } from '../adapters/rabbitmq/queues.ts'
import { installedVersion } from './rabbitmq/binary.ts'
import { startRabbitMq, type RabbitMq } from './rabbitmq/start.ts'

export interface RabbitMqUnderTest {
  /** For titles. */
  readonly name: string
  /** Whether `own` can be asked for. */
  readonly canFail: boolean
  start(): Promise<void>
  url(): string
  /** The node that may be killed. */
  own(): RabbitMq
  /** Begins the names of queues that are not there yet. */
  newPrefix(): string
  /** Removes what they begin. */
  clean(): Promise<void>
  stop(): Promise<void>
}

const version = await installedVersion()

export const NOT_TESTED = 'run: node test/engines/rabbitmq/install.ts'

/** Undefined when there is no broker to test against. */
export function rabbitmqUnderTest(): RabbitMqUnderTest | undefined {
  const given = process.env['RABBITMQ_URL']
  if (!given && version === undefined) return undefined
  let node: RabbitMq | undefined
  let prefixes: string[] = []
  return {
    name: given ? 'the broker of RABBITMQ_URL' : `RabbitMQ ${version}`,
    canFail: version !== undefined,
    async start() {
      if (version !== undefined) node = await startRabbitMq()
    },
    url: () => given ?? node!.url,
    own: () => node!,
    newPrefix() {
      const prefix = freshPrefix()
      prefixes.push(prefix)
      return prefix
    },
    async clean() {
      await asOperator(given ?? node!.url, (channel) => removeQueues(channel, prefixes))
      prefixes = []
    },
    async stop() {
      await node?.stop()
    },
  }
}

async function removeQueues(channel: Channel, prefixes: readonly string[]): Promise<void> {
  for (const { due, dead } of prefixes.map(topologyOf))
    for (const name of [due, dead]) await channel.deleteQueue(name)
}
