/** Deliveries for tests of delivery queues, and a consumer that notes what it is given. */
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  Consumer,
  Delivery,
  DeliveryQueue,
  Enqueued,
  Handled,
} from '../../../src/ports/delivery-queue.ts'

export interface Handing extends Partial<Consumer> {
  /** A time that is noted of each hand-over. */
  readonly at?: () => number
}

/** Consumes, by default everything and at once, and notes what is handed over and what abandoned. */
export function consumeAll(queue: DeliveryQueue, { at = () => 0, ...consumer }: Handing = {}) {
  const handed: (Delivery & { readonly at?: number })[] = []
  const abandoned: Delivery[] = []
  const consumption = queue.consume({
    concurrency: consumer.concurrency ?? 10,
    handle: (delivery): Promise<Handled> => {
      const moment = at()
      handed.push(moment === 0 ? delivery : { ...delivery, at: moment })
      return consumer.handle?.(delivery) ?? Promise.resolve('done')
    },
    abandoned: async (delivery) => {
      abandoned.push(delivery)
      await consumer.abandoned?.(delivery)
    },
  })
  return { handed, abandoned, consumption }
}

export const delivery = (id: string): Enqueued => ({ id, endpoint: 'webhook-1', company: 'company-1' })
export const deliveries = (count: number, from = 0): Enqueued[] =>
  Array.from({ length: count }, (_, i) => delivery(`delivery-${from + i}`))

export const ids = (deliveries: readonly Delivery[]) => [...new Set(deliveries.map(({ id }) => id))].sort()
export const has = (handed: readonly Delivery[], wanted: readonly Delivery[]): boolean => {
  const there = new Set(ids(handed))
  return wanted.every(({ id }) => there.has(id))
}

/** Nothing waits, nothing is put aside. */
export const settled = (queue: DeliveryQueue) =>
  until(async () => {
    const { waiting, abandoned } = await queue.status()
    return waiting === 0 && abandoned === 0
  })

/** Resolves when it holds; rejects, soon after mocha has given the test up. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const since = performance.now()
  while (!(await condition())) {
    if (performance.now() - since > 30_000)
      throw new Error(`this never came to hold: ${condition.toString()}`)
    await sleep(10)
  }
}

export const caught = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )
