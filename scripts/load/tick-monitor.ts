/**
 * Loaded into the service (`--import`): how long its main thread was held at a stretch, in time that the thread itself
 * computed. Other programs on the machine make a thread wait, but not compute more: so this tells what the service does,
 * where the delay of its event loop (`/metrics`) also tells what the machine does.
 */
import { isMainThread } from 'node:worker_threads'

/** What was computed between two ticks of a timer, in ms, since the last question. */
export interface Held {
  readonly p99: number
  readonly max: number
}

const TICK_MS = 10

if (isMainThread && process.send) {
  let stretches: number[] = []
  let before = process.threadCpuUsage()
  setInterval(() => {
    const now = process.threadCpuUsage()
    stretches.push((now.user + now.system - before.user - before.system) / 1_000)
    before = now
  }, TICK_MS).unref()
  process.on('message', () => {
    const sorted = stretches.sort((one, other) => one - other)
    const held: Held = { p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0, max: sorted.at(-1) ?? 0 }
    stretches = []
    process.send?.(held)
  })
  process.channel?.unref()
}
