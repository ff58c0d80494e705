/** For what the service promises to do soon but not before it answers: asked again until it holds. */
import { setTimeout as delay } from 'node:timers/promises'

const LONGEST_MS = 10_000

/**
 * Runs `check` until it passes. The bound is far beyond what is expected and only ends a wait that would be for ever.
 * @throws what `check` threw last
 */
export async function eventually<T>(
  what: string,
  check: () => Promise<T>,
  longestMs = LONGEST_MS,
): Promise<T> {
  const end = performance.now() + longestMs
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > end)
        throw new Error(`not in ${longestMs / 1_000} s: ${what}: ${(error as Error).message}`, {
          cause: error,
        })
    }
    await delay(20)
  }
}
