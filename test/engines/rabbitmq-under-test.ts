/**
 * The RabbitMQ of a test run: the broker that `RABBITMQ_URL` names, else a node of Debian's package that is started for
 * the run, if it is installed. Every test has queues of its own, under a prefix.
 */
import { connect, type Channel } from 'amqplib'
import { randomUUID } from 'node:crypto'
import { deleteQueues, topologyOf } from '../../src/adapters/rabbitmq/topology.ts'
import { installedVersion } from './rabbitmq/binary.ts'
import { startRabbitMq, type RabbitMq } from './rabbitmq/start.ts'

export interface RabbitMqUnderTest {
  /** For titles. */
  readonly name: string
  start(): Promise<void>
  url(): string
  /** Begins the names of queues and exchanges that are not there yet. */
  newPrefix(): string
  /** Removes what the prefixes given out until now have left. */
  clean(): Promise<void>
  /** Stops the node if it was started here. */
  stop(): Promise<void>
}

const version = await installedVersion()

/** Whether there is a broker that tests may kill. */
export const hasRabbitMq = version !== undefined

export const NOT_TESTED = 'set RABBITMQ_URL, or run: node test/engines/rabbitmq/install.ts'

/** Undefined when there is no broker to test against. */
export function rabbitmqUnderTest(): RabbitMqUnderTest | undefined {
  const given = process.env['RABBITMQ_URL']
  if (!given && !hasRabbitMq) return undefined
  let node: RabbitMq | undefined
  let prefixes: string[] = []
  const url = () => given ?? node!.url
  return {
    name: given ? 'the broker of RABBITMQ_URL' : `RabbitMQ ${version}`,
    async start() {
      if (!given) node = await startRabbitMq()
    },
    url,
    newPrefix() {
      const prefix = freshPrefix()
      prefixes.push(prefix)
      return prefix
    },
    async clean() {
      if (given) await removeTopologies(given, prefixes)
      prefixes = []
    },
    async stop() {
      await node?.stop()
    },
  }
}

export const freshPrefix = (): string => `daybook-test-${randomUUID().slice(0, 8)}`

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

export async function removeTopologies(url: string, prefixes: readonly string[]): Promise<void> {
  await asOperator(url, async (channel) => {
    for (const prefix of prefixes) {
      const topology = topologyOf(prefix, 1)
      await deleteQueues(channel, topology)
      for (const name of [...topology.delays, topology.mark]) await channel.deleteExchange(name)
    }
  })
}
