/**
 * Those who wait for a position of the read models. While there are any, one look after another is taken at the
 * checkpoint; what has once been reached is known from then on.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Position } from '../../../domain/events/event.ts'

export interface PositionWatch {
  /** True once `position` is reached; false after `timeoutMs`, whatever the server does. */
  wait(position: Position, timeoutMs: number): Promise<boolean>
  close(): void
}

export interface PositionWatchOptions {
  /** How far everything can be read. */
  readonly look: () => Promise<Position>
}

/** Between two looks: little beside what a write over the network takes. */
const PAUSE_MS = 5
/** After a look that failed. */
const TROUBLE_MS = 100

export function watchPosition({ look }: PositionWatchOptions): PositionWatch {
  const waiters = new Map<(isReached: boolean) => void, Position>()
  let known: Position = 0
  let isLooking = false

  const lookOn = async () => {
    isLooking = true
    while (waiters.size > 0) {
      let pause = PAUSE_MS
      try {
        known = Math.max(known, await look())
      } catch {
        pause = TROUBLE_MS
      }
      for (const [settle, position] of waiters) if (position <= known) settle(true)
      if (waiters.size > 0) await delay(pause)
    }
    isLooking = false
  }

  return {
    wait(position, timeoutMs) {
      if (position <= known) return Promise.resolve(true)
      return new Promise((resolve) => {
        const settle = (isReached: boolean) => {
          clearTimeout(timer)
          waiters.delete(settle)
          resolve(isReached)
        }
        const timer = setTimeout(() => settle(false), timeoutMs)
        waiters.set(settle, position)
        if (!isLooking) void lookOn()
      })
    },
    close() {
      for (const settle of waiters.keys()) settle(false)
    },
  }
}
