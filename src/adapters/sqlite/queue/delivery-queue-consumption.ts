/**
 * Handing over what is due: one consumer's share of the embedded delivery queue.
 *
 * Everything that it writes goes through `pump`: outcomes, renewals and new leases in one transaction, in this order, so
 * that a row under way here is never taken a second time here, however long the process was held up.
 */
import type { Consumer, Consumption, Handled } from '../../../ports/delivery-queue.ts'
import { delayOf } from '../../../ports/delivery-queue.ts'
import type { DeliveryRows, Outcome, Taken } from './delivery-queue-rows.ts'

export interface RowConsumption extends Consumption {
  /** Rows may have come due. */
  wake(): void
  underWay(): number
  /** Ends it at once, and hands back what is under way. */
  drop(): void
}

export interface ConsumptionOf {
  readonly rows: DeliveryRows
  readonly consumer: Consumer
  /** Milliseconds, never going back; see `delivery-queue-clock.ts`. */
  readonly now: () => number
  readonly leaseMs: number
  readonly deliveryLimit: number
  readonly onTrouble: (message: string, error: unknown) => void
}

/** After a failure of the disk. */
const RETRY_MS = 1_000
/** Timers overflow far beyond this; there is no other need for it. */
const LONGEST_WAIT_MS = 3_600_000

export function consumeRows({
  rows,
  consumer,
  now,
  leaseMs,
  deliveryLimit,
  onTrouble,
}: ConsumptionOf): RowConsumption {
  const underWay = new Map<number, Taken>()
  let finished: { readonly row: Taken; readonly outcome: Outcome }[] = []
  let renewedAt = now()
  let timer: NodeJS.Timeout | undefined
  let soon: NodeJS.Immediate | undefined
  let ended = false
  let stopping: PromiseWithResolvers<void> | undefined

  const wake = () => {
    if (!ended) soon ??= setImmediate(pump)
  }

  const wakeIn = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(pump, Math.min(Math.max(1, Math.ceil(ms)), LONGEST_WAIT_MS))
  }

  const run = async (row: Taken) => {
    const outcome = await outcomeOf(row, consumer, deliveryLimit, onTrouble)
    if (ended) return
    finished.push({ row, outcome })
    wake()
  }

  const store = (moment: number) => {
    for (const { row, outcome } of finished) rows.settle(row, outcome, moment)
    const done = new Set(finished.map(({ row }) => row.seq))
    const renews = moment - renewedAt >= leaseMs / 3
    if (renews) for (const row of underWay.values()) if (!done.has(row.seq)) rows.renew(row, moment + leaseMs)
    const free = stopping ? 0 : consumer.concurrency - (underWay.size - done.size)
    const taken = free > 0 ? rows.take(moment, free, leaseMs) : []
    if (done.size > 0 || taken.length > 0 || renews) rows.keepMoment(moment)
    const mayTake = !stopping && underWay.size - done.size + taken.length < consumer.concurrency
    return { taken, nextDue: mayTake ? rows.nextDue() : undefined }
  }

  function pump(): void {
    clearImmediate(soon)
    soon = undefined
    if (ended) return
    const moment = now()
    let stored: ReturnType<typeof store>
    try {
      stored = rows.together(() => store(moment))
    } catch (error) {
      onTrouble('the delivery queue cannot be written', error)
      wakeIn(RETRY_MS)
      return
    }
    for (const { row } of finished) underWay.delete(row.seq)
    finished = []
    if (moment - renewedAt >= leaseMs / 3) renewedAt = moment
    for (const row of stored.taken) {
      underWay.set(row.seq, row)
      void run(row)
    }
    rest(stored.nextDue)
  }

  /** Until the next row is due or the next renewal, whichever is first; a finished handler wakes it anyway. */
  const rest = (nextDue = Infinity) => {
    clearTimeout(timer)
    if (stopping && underWay.size === 0) {
      ended = true
      stopping.resolve()
      return
    }
    const renewal = underWay.size > 0 ? renewedAt + leaseMs / 3 : Infinity
    const at = Math.min(renewal, nextDue)
    if (at < Infinity) wakeIn(at - now())
  }

  wake()
  return {
    wake,
    underWay: () => underWay.size,
    stop() {
      if (!stopping) {
        stopping = Promise.withResolvers<void>()
        if (ended) stopping.resolve()
        wake()
      }
      return stopping.promise
    },
    drop() {
      if (ended) return
      ended = true
      clearTimeout(timer)
      clearImmediate(soon)
      const outcomes = new Map(finished.map(({ row, outcome }) => [row.seq, outcome]))
      try {
        rows.together(() => {
          for (const row of underWay.values()) rows.settle(row, outcomes.get(row.seq) ?? 'handed back', now())
        })
      } catch (error) {
        onTrouble('deliveries under way could not be handed back; their leases run out', error)
      }
      stopping?.resolve()
    },
  }
}

async function outcomeOf(
  row: Taken,
  consumer: Consumer,
  deliveryLimit: number,
  onTrouble: (message: string, error: unknown) => void,
): Promise<Outcome> {
  const { delivery, failures } = row
  try {
    if (failures >= deliveryLimit) {
      await consumer.abandoned(delivery)
      return 'gone'
    }
    return outcomeFor(await consumer.handle(delivery))
  } catch (error) {
    onTrouble(`delivery ${delivery.id} failed, the ${failures + 1}. time in a row`, error)
    return 'failed'
  }
}

function outcomeFor(handled: Handled): Outcome {
  return handled === 'done' ? 'gone' : { againInMs: delayOf(handled.againInMs) }
}
