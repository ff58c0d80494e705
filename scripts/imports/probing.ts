/** How long others wait for the API while something is done: a get every 20 ms, a create every 100 ms. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../../test/support/service.ts'

const GET_MS = 20
const CREATE_MS = 100

export interface Waits {
  /** The 99th of 100, in ms; undefined when nothing was asked. */
  readonly gets: number | undefined
  readonly creates: number | undefined
}

export function probing(api: Client): { end(): Promise<Waits> } {
  let isOver = false
  const repeat = async (everyMs: number, ask: () => Promise<unknown>): Promise<number | undefined> => {
    const took: number[] = []
    while (!isOver) {
      const begun = performance.now()
      await ask()
      took.push(performance.now() - begun)
      await delay(everyMs)
    }
    const sorted = took.sort((one, other) => one - other)
    const found = sorted[Math.floor(sorted.length * 0.99)]
    return found === undefined ? undefined : Math.round(found)
  }
  const gets = repeat(GET_MS, () => api.get('building?pageSize=1'))
  const creates = repeat(CREATE_MS, () => api.post('building', { Name: 'Probe' }))
  return {
    async end() {
      isOver = true
      return { gets: await gets, creates: await creates }
    },
  }
}
