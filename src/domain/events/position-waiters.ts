/** Those who wait for a position to be reached, woken in order of what they wait for. */
import type { Position } from './event.ts'

export interface PositionWaiters {
  reached(position: Position): void
  /** True once `position` is reached; false after `timeoutMs`. */
  wait(position: Position, timeoutMs: number): Promise<boolean>
  close(): void
}

interface Waiter {
  readonly position: Position
  readonly resolve: (reached: boolean) => void
  readonly deadline: number
}

/** One timer serves all: an overdue waiter may wait this much longer. */
const TICK_MS = 50

export function positionWaiters(now: () => number = () => performance.now()): PositionWaiters {
  let current: Position = 0
  let waiters = new Set<Waiter>()
  let timer: NodeJS.Timeout | undefined

  const settle = (reached: boolean, which: (waiter: Waiter) => boolean) => {
    for (const waiter of waiters) {
      if (!which(waiter)) continue
      waiters.delete(waiter)
      waiter.resolve(reached)
    }
    if (waiters.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    reached(position) {
      current = Math.max(current, position)
      settle(true, (waiter) => waiter.position <= current)
    },
    wait(position, timeoutMs) {
      if (position <= current) return Promise.resolve(true)
      if (timeoutMs <= 0) return Promise.resolve(false)
      return new Promise((resolve) => {
        waiters.add({ position, resolve, deadline: now() + timeoutMs })
        timer ??= setInterval(() => settle(false, ({ deadline }) => deadline <= now()), TICK_MS)
      })
    },
    close() {
      settle(false, () => true)
      waiters = new Set()
    },
  }
}
