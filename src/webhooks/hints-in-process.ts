/** Hints within one process: a queue in memory. What it loses when the process ends, the first sweep finds again. */
import { Unavailable } from '../domain/errors.ts'
import type { Hint, Hints, Listener } from '../ports/hints.ts'

interface Listens {
  readonly listener: Listener
  readonly underWay: Set<Promise<void>>
}

export function hintsInProcess(): Hints {
  /** By endpoint: two hints for one that wait are the same hint. */
  const waiting = new Map<string, Hint>()
  const listening = new Set<Listens>()
  let isClosed = false

  const handOver = () => {
    for (const { listener, underWay } of listening)
      for (const [endpoint, hint] of waiting) {
        if (underWay.size >= listener.concurrency) break
        waiting.delete(endpoint)
        const handled = listener.handle(hint)
        const ended = () => {
          underWay.delete(handled)
          handOver()
        }
        underWay.add(handled)
        handled.then(ended, ended)
      }
  }

  return {
    async publish(hints) {
      if (isClosed) throw new Unavailable('The hints are closed.')
      for (const hint of hints) waiting.set(hint.endpoint, hint)
      handOver()
    },
    listen(listener) {
      if (isClosed) throw new Unavailable('The hints are closed.')
      const one: Listens = { listener, underWay: new Set() }
      listening.add(one)
      handOver()
      return {
        async stop() {
          listening.delete(one)
          await Promise.allSettled(one.underWay)
        },
      }
    },
    status: async () =>
      isClosed ? { state: 'unreachable' } : { state: 'open', waiting: waiting.size, abandoned: 0 },
    async close() {
      isClosed = true
      listening.clear()
      waiting.clear()
    },
  }
}
