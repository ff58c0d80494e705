/** For what the service promises to do soon but not before it answers: asked again until it holds. */
import { setTimeout as delay } from 'node:timers/promises'

const LONGEST_MS = 10_000

/**
 * Runs `check` until it passes. The bound is far beyond what is expected and only ends a wait that would be for ever.
 * @throws what `check` threw last
 */
export async function eventually<T>(what: string, check: () => Promise<T>): Promise<T> {
  const end = performance.now() + LONGEST_MS
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > end)
        throw new Error(`not in ${LONGEST_MS / 1_000} s: ${what}: ${(error as Error).message}`, {
          cause: error,
        })
    }
    await delay(20)
  }
}
