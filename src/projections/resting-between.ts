/** Following without haste: what needs not be seen at once is seen together with what comes a moment later. */
import type { EventBatch, EventStore } from '../ports/event-store.ts'

/** A batch of fewer events: there are no more for now. */
const FEW = 500

/**
 * The same events. After a batch of few it rests before it asks for the next one: the first event of a quiet time comes at once,
 * those of a busy time come in larger batches, which cost a fraction. For stores that read what is there when they are asked: one
 * that hands out small batches of a busy time later would fall behind.
 */
export function restingBetween(
  events: Pick<EventStore, 'subscribe'>,
  rest: () => Promise<unknown>,
): Pick<EventStore, 'subscribe'> {
  return {
    subscribe(after) {
      const batches = events.subscribe(after)[Symbol.asyncIterator]()
      let rests = false
      const resting: AsyncIterableIterator<EventBatch> = {
        async next() {
          if (rests) await rest()
          const next = await batches.next()
          rests = !next.done && next.value.events.length < FEW
          return next
        },
        // At once, also while it rests: what was left has ended when the rest is over.
        return: async () => (await batches.return?.()) ?? { done: true, value: undefined },
        [Symbol.asyncIterator]: () => resting,
      }
      return resting
    },
  }
}
