/**
 * Breaks RabbitMQ in every way (quality D1 to D4) under a running service that is written to all the time, and counts:
 * writes that were refused or slow, and webhooks of acknowledged writes that never came.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from 'amqplib'
import { topologyOf } from '../../src/adapters/rabbitmq/topology.ts'
import { startRabbitMq, type RabbitMq } from '../engines/rabbitmq/start.ts'
import { client, type Client } from '../support/service.ts'
import { startReceiver, type Receiver } from '../webhooks/receiver.ts'
import { startService } from './ledger/service-process.ts'

export interface BrokerFaults {
  readonly dataDir: string
  readonly kills: number
  /** How long the broker takes no messages, in ms. */
  readonly blockedMs: number
  /** Pause of each of the writers between two writes, in ms. */
  readonly pauseMs: number
  readonly onPhase?: (phase: string) => void
}

export interface BrokerOutcome {
  readonly acknowledged: number
  /** Writes that were not answered with 201. */
  readonly refused: readonly string[]
  /** Times of the writes, ascending, in ms. */
  readonly times: readonly number[]
  /** Keys of acknowledged records whose event never came. */
  readonly lost: readonly string[]
  /** Events that came more than once. */
  readonly doubled: number
  /** What the service has logged of the broker. */
  readonly alarms: string
}

const WRITERS = 2
const PATIENCE_MS = 60_000

export async function brokerFaults(options: BrokerFaults): Promise<BrokerOutcome> {
  const broker = await startRabbitMq()
  const receiver = await startReceiver()
  try {
    const service = await startService({
      dataDir: options.dataDir,
      settings: { RABBITMQ_URL: broker.url, WEBHOOK_ALLOW_ADDRESSES: '127.0.0.0/8' },
    })
    const api = client(() => service.url, service.token)
    const registered = await api.post('webhooks', { Url: `${receiver.url}/hook`, Events: ['tenant.created'] })
    if (registered.status !== 201) throw new Error(`no webhook: ${registered.text}`)

    const load = writeOn(api, options.pauseMs)
    await allFaults(options, broker)
    const { keys, refused, times } = await load.stop()
    const missing = () => {
      const came = cameTo(receiver)
      return keys.filter((key) => !came.has(key))
    }
    const until = performance.now() + PATIENCE_MS
    while (missing().length > 0 && performance.now() < until) await delay(50)
    await service.end('SIGTERM')
    return {
      acknowledged: keys.length,
      refused,
      times: times.toSorted((one, other) => one - other),
      lost: missing(),
      doubled: receiver.received.length - cameTo(receiver).size,
      alarms: service.output(),
    }
  } finally {
    await receiver.stop()
    await broker.stop()
  }
}

async function allFaults({ kills, blockedMs, onPhase = () => {} }: BrokerFaults, broker: RabbitMq) {
  await delay(2_000) // the queues are new, and not safe yet
  for (let kill = 1; kill <= kills; kill++) {
    onPhase(`kill ${kill} of ${kills}`)
    await delay(Math.random() * 1_000)
    await broker.kill()
    if (kill === kills) {
      onPhase('its data are deleted')
      broker.deleteData()
    }
    await delay(Math.random() * 500)
    await broker.start()
  }
  onPhase('its queue is deleted')
  await untilDone(() => deleteWorkQueue(broker))
  onPhase(`it takes no messages for ${blockedMs / 1_000} s`)
  await broker.control('set_vm_memory_high_watermark', '0.0000001')
  await delay(blockedMs)
  await broker.control('set_vm_memory_high_watermark', '0.4')
}

/** There is a queue to delete as soon as the service has declared it again. */
async function deleteWorkQueue({ url }: RabbitMq): Promise<void> {
  const model = await connect(url)
  model.on('error', () => {})
  try {
    const channel = await model.createChannel()
    channel.on('error', () => {})
    const { due } = topologyOf('daybook')
    await channel.checkQueue(due)
    await channel.deleteQueue(due)
  } finally {
    await model.close().catch(() => {})
  }
}

async function untilDone(work: () => Promise<void>): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (performance.now() > until) throw error
      await delay(200)
    }
  }
}

function writeOn(api: Client, pauseMs: number) {
  const keys: string[] = []
  const refused: string[] = []
  const times: number[] = []
  let stopped = false
  const write = async (writer: number) => {
    for (let turn = 0; !stopped; turn++) {
      const begin = performance.now()
      const answer = await api.post('tenant', { Name: `Tenant ${writer}-${turn}` })
      times.push(performance.now() - begin)
      if (answer.status === 201) keys.push(answer.data.Id)
      else refused.push(`${answer.status} ${answer.text.slice(0, 200)}`)
      await delay(pauseMs)
    }
  }
  const writing = Array.from({ length: WRITERS }, (_, writer) => write(writer))
  return {
    async stop() {
      stopped = true
      await Promise.all(writing)
      return { keys, refused, times }
    },
  }
}

const cameTo = (receiver: Receiver) => new Set(receiver.received.map(({ json }) => json.Data['Id'] as string))
