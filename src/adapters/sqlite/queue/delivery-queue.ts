/**
 * The embedded delivery queue: rows with a due time and a lease, in a file of their own, `deliveries.db`.
 *
 * One process has the file, as it has the whole data folder; a row that the process before was killed over comes back
 * when its lease has run out. Nothing polls: an enqueue wakes the consumers, and a timer does when the next row is due.
 */
import { setImmediate } from 'node:timers/promises'
import { Unavailable } from '../../../domain/errors.ts'
import type { Clock } from '../../../ports/clock.ts'
import { DELIVERY_LIMIT, delayOf, type DeliveryQueue, type Enqueued } from '../../../ports/delivery-queue.ts'
import { queueClock } from './delivery-queue-clock.ts'
import { consumeRows, type RowConsumption } from './delivery-queue-consumption.ts'
import { openDeliveryRows } from './delivery-queue-rows.ts'
import { asUnavailable } from '../files/open.ts'

export interface SqliteDeliveryQueueOptions {
  /** The file; made when it is not there. */
  readonly path: string
  /** Called for what an operator should know: deliveries that fail, a disk that cannot be written. */
  readonly onTrouble: (message: string, error: unknown) => void
  readonly clock?: Clock
  /** How long after the death of a process its deliveries are handed over again. */
  readonly leaseMs?: number
  readonly deliveryLimit?: number
}

/** Rows stored together: 2 to 3 ms. */
const BATCH = 500

const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }

/** @throws Error when the file cannot be opened */
export function sqliteDeliveryQueue({
  path,
  onTrouble,
  clock = systemClock,
  leaseMs = 15_000,
  deliveryLimit = DELIVERY_LIMIT,
}: SqliteDeliveryQueueOptions): DeliveryQueue {
  const rows = openDeliveryRows(path)
  const now = queueClock({ clock, notBefore: rows.lastMoment() })
  const consumptions = new Set<RowConsumption>()
  let closed = false

  const add = (deliveries: readonly Enqueued[]) => {
    if (closed) throw new Unavailable('the delivery queue is closed')
    const moment = now()
    try {
      rows.together(() => {
        for (const delivery of deliveries) rows.add(delivery, Math.ceil(moment + delayOf(delivery.delayMs)))
        rows.keepMoment(moment)
      })
    } catch (error) {
      throw asUnavailable(error)
    }
    for (const consumption of consumptions) consumption.wake()
  }

  return {
    async enqueue(deliveries) {
      if (closed) throw new Unavailable('the delivery queue is closed')
      for (const { delayMs } of deliveries) delayOf(delayMs)
      for (let from = 0; from < deliveries.length; from += BATCH) {
        if (from > 0) await setImmediate() // others have their turn
        add(deliveries.slice(from, from + BATCH))
      }
    },

    consume(consumer) {
      if (closed) throw new Unavailable('the delivery queue is closed')
      const consumption = consumeRows({ rows, consumer, now, leaseMs, deliveryLimit, onTrouble })
      consumptions.add(consumption)
      return {
        async stop() {
          await consumption.stop()
          consumptions.delete(consumption)
        },
      }
    },

    async status() {
      if (closed) return { state: 'unreachable' }
      try {
        const { all, failing } = rows.count(deliveryLimit)
        const underWay = [...consumptions].reduce((sum, consumption) => sum + consumption.underWay(), 0)
        return { state: 'open', waiting: Math.max(0, all - failing - underWay), abandoned: failing }
      } catch (error) {
        onTrouble('the delivery queue cannot be read', error)
        return { state: 'unreachable' }
      }
    },

    async close() {
      if (closed) return
      closed = true
      for (const consumption of consumptions) consumption.drop()
      rows.close()
    },
  }
}
