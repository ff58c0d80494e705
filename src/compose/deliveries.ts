/**
 * Which engine says when a delivery is due: rows in DATA_DIR, or RabbitMQ where RABBITMQ_URL names one.
 *
 * Opened by whoever asks first: a process that delivers nothing neither has the file nor a connection. RabbitMQ is not
 * waited for: the service starts without it, deliveries are late, and the sweep of the outbox finds what was not enqueued.
 */
import { join } from 'node:path'
import type { Log } from '../api/http/log.ts'
import type { Config } from '../config.ts'
import type { DeliveryQueue, QueueStatus } from '../ports/delivery-queue.ts'

export interface Deliveries {
  /**
   * The queue of this process, the same each time; it is closed with the stores.
   * @throws Error when its file or its URL cannot be used
   */
  queue(): Promise<DeliveryQueue>
  /** How the queue stands; undefined while nobody has asked for it. Never rejects, and answers within a few seconds. */
  status(): Promise<QueueStatus | undefined>
  /** Its state when it was last looked at, and has it looked at again: for those who must not wait. */
  lastState(): QueueStatus['state'] | undefined
  close(): Promise<void>
}

export interface DeliveriesOptions {
  readonly config: Pick<Config, 'RABBITMQ_URL' | 'DATA_DIR'>
  readonly log: Log
  /** Makes DATA_DIR this process's own, when the queue is to be kept there. */
  readonly holdDataDir: () => void
}

export function deliveries({ config, log, holdDataDir }: DeliveriesOptions): Deliveries {
  const { RABBITMQ_URL: url, DATA_DIR } = config
  const onTrouble = (message: string, error: unknown) =>
    log.warn({ detail: error instanceof Error ? error.message : undefined }, message)
  let opened: Promise<DeliveryQueue> | undefined

  // Drivers are loaded when they are needed, as those of the stores are.
  const open = async (): Promise<DeliveryQueue> => {
    if (url !== undefined) {
      const { rabbitmqDeliveryQueue } = await import('../adapters/rabbitmq/delivery-queue.ts')
      return rabbitmqDeliveryQueue({ url, onTrouble })
    }
    holdDataDir()
    const { sqliteDeliveryQueue } = await import('../adapters/sqlite/queue/delivery-queue.ts')
    return sqliteDeliveryQueue({ path: join(DATA_DIR, 'deliveries.db'), onTrouble })
  }

  let last: QueueStatus | undefined
  let looking: Promise<QueueStatus | undefined> | undefined
  const look = async () => {
    const queue = await opened?.catch(() => undefined)
    return (last = await queue?.status())
  }
  const status = () => (looking ??= look().finally(() => (looking = undefined)))

  return {
    queue: () => (opened ??= open()),
    status,
    lastState() {
      void status()
      return last?.state
    },
    async close() {
      const queue = await opened?.catch(() => undefined)
      await queue?.close()
    },
  }
}
