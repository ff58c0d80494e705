/**
 * Kills a broker again and again while deliveries are enqueued, handled, put back and delayed, and then counts: every
 * delivery that was confirmed, or was to come again, must have been handled to its end.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { rabbitmqDeliveryQueue } from '../../../src/adapters/rabbitmq/delivery-queue.ts'
import type { RabbitMq } from './start.ts'

export interface KillRounds {
  readonly broker: RabbitMq
  /** For the names of the queues. */
  readonly prefix: string
  readonly rounds: number
}

export interface Outcome {
  /** Deliveries whose enqueueing was confirmed. */
  readonly confirmed: number
  /** Enqueueings that failed: they met a kill. */
  readonly refused: number
  /** Ids of confirmed deliveries that did not come to their end. */
  readonly lost: readonly string[]
}

const WRITERS = 4
/** How long what is missing at the end may still take, in milliseconds. */
const PATIENCE_MS = 40_000

export async function killRounds({ broker, prefix, rounds }: KillRounds): Promise<Outcome> {
  const queue = rabbitmqDeliveryQueue({ url: broker.url, prefix, timeoutMs: 2_000, onTrouble: () => {} })
  const confirmed = new Set<string>()
  const ended = new Set<string>()
  const begun = new Set<string>()
  let refused = 0
  let over = false

  const consumption = queue.consume({
    concurrency: 20,
    handle: async ({ id }) => {
      await sleep(Math.random() * 10)
      // Every third comes a second time, so that putting back is killed, too.
      if (id.endsWith('0') && !begun.has(id)) {
        begun.add(id)
        return { againInMs: Math.round(Math.random() * 2_000) }
      }
      ended.add(id)
      return 'done'
    },
    abandoned: async ({ id }) => void ended.add(id),
  })

  const write = async (writer: number) => {
    for (let turn = 0; !over; turn++) {
      const batch = Array.from({ length: 1 + Math.floor(Math.random() * 8) }, (_, i) => ({
        id: `${writer}-${turn}-${i}-${turn % 3}`,
        endpoint: 'webhook-1',
        company: 'company-1',
        delayMs: Math.random() < 0.5 ? 0 : Math.round(Math.random() * 3_000),
      }))
      try {
        await queue.enqueue(batch)
        for (const { id } of batch) confirmed.add(id)
      } catch {
        refused++
      }
      await sleep(5)
    }
  }
  const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer))

  for (let round = 1; round <= rounds; round++) {
    const before = confirmed.size
    while (confirmed.size < before + 100) await sleep(10)
    await sleep(Math.random() * 500)
    await broker.kill()
    await broker.start()
  }
  over = true
  await Promise.all(writers)

  const missing = () => [...confirmed].filter((id) => !ended.has(id))
  const until = performance.now() + PATIENCE_MS
  while (missing().length > 0 && performance.now() < until) await sleep(50)
  await consumption.stop()
  await queue.close()
  return { confirmed: confirmed.size, refused, lost: missing() }
}
