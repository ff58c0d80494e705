/** Hints for tests, and a listener that notes what it is handed. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hint, Hints, Listener } from '../../../src/ports/hints.ts'

/** Listens, by default to many at once, and notes what is handed over. */
export function listenTo(hints: Hints, { concurrency = 10, handle }: Partial<Listener> = {}) {
  const handed: Hint[] = []
  const listening = hints.listen({
    concurrency,
    handle: async (hint) => {
      handed.push(hint)
      await handle?.(hint)
    },
  })
  return { handed, listening }
}

export const hint = (endpoint: string): Hint => ({ endpoint, company: 'company-1' })
export const hints = (count: number, from = 0): Hint[] =>
  Array.from({ length: count }, (_, i) => hint(`webhook-${from + i}`))

export const has = (handed: readonly Hint[], wanted: readonly Hint[]): boolean => {
  const there = new Set(handed.map(({ endpoint }) => endpoint))
  return wanted.every(({ endpoint }) => there.has(endpoint))
}

/** Resolves when it holds; rejects after a time that no healthy machine takes. */
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
