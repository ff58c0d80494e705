/**
 * Storing what came of attempts: those that end at about the same time share a transaction. An outcome that cannot be
 * stored is kept and tried again, so that what was delivered is not sent again because a disk was full for a while.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Outcome, Sending } from '../ports/outbox.ts'

export interface Settle {
  /** Resolves when the outcome is stored, with how long its endpoint has only failed, in ms; undefined: it was given up at a stop. */
  settle(outcome: Outcome): Promise<number | undefined>
  /** Gives up what cannot be stored. */
  stop(): void
}

export interface SettleOptions {
  readonly outbox: Pick<Sending, 'settle'>
  readonly onTrouble: (message: string, error: unknown) => void
  readonly retryMs?: number
}

export function settler({ outbox, onTrouble, retryMs = 1_000 }: SettleOptions): Settle {
  let waiting: { readonly outcome: Outcome; readonly resolve: (failingMs: number | undefined) => void }[] = []
  let isStoring = false
  let stopped = false

  const store = async () => {
    while (waiting.length > 0) {
      const group = waiting
      waiting = []
      let failing: ReadonlyMap<string, number> | undefined
      while (!failing && !stopped) {
        try {
          failing = await outbox.settle(group.map(({ outcome }) => outcome))
        } catch (error) {
          onTrouble('what came of deliveries cannot be stored for now', error)
          await delay(retryMs, undefined, { ref: false })
        }
      }
      for (const { outcome, resolve } of group) resolve(failing && (failing.get(outcome.endpoint) ?? 0))
    }
    isStoring = false
  }

  return {
    settle(outcome) {
      return new Promise((resolve) => {
        waiting.push({ outcome, resolve })
        if (isStoring) return
        isStoring = true
        setImmediate(() => void store())
      })
    },
    stop() {
      stopped = true
    },
  }
}
