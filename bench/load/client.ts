/** Starts the load generator on a core of its own and hands it plans. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pinned } from '../pinning.ts'
import type { LoadPlan, LoadResult } from './generate.ts'

export type Load = Pick<LoadPlan, 'port' | 'requests' | 'connections'> & Partial<LoadPlan>

export interface LoadGenerator {
  /** @throws Error when the generator itself fails, for example because nothing listens on the port */
  run(load: Load): Promise<LoadResult>
  stop(): void
}

type Answer = { readonly result: LoadResult } | { readonly failure: string }

export function startLoadGenerator(core: number | undefined): LoadGenerator {
  const [command, ...args] = pinned(core, [process.execPath, join(import.meta.dirname, 'process.ts')])
  const child = spawn(command!, args, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  })
  const ended: Promise<[Answer]> = once(child, 'exit').then(() => [{ failure: 'it ended' }])
  return {
    async run(load) {
      const plan: LoadPlan = { seconds: 5, warmupSeconds: 1, once: false, keepAnswers: false, ...load }
      child.send(plan)
      const [answer] = (await Promise.race([once(child, 'message'), ended])) as [Answer]
      if ('failure' in answer) throw new Error(`the load generator failed: ${answer.failure}`)
      return answer.result
    },
    stop: () => child.disconnect(),
  }
}
