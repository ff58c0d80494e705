/** Computing time of a process by thread, as Linux counts it. Elsewhere it is not known. */
import { readdirSync, readFileSync } from 'node:fs'

/** Seconds by the name of the thread; threads of one name are one. */
export type ThreadTimes = ReadonlyMap<string, number>

export function threadTimes(pid: number): ThreadTimes {
  const times = new Map<string, number>()
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const of = (file: string) => readFileSync(`/proc/${pid}/task/${thread}/${file}`, 'utf8').trim()
      const name = of('comm')
      const nanoseconds = Number(of('schedstat').split(' ')[0])
      times.set(name, (times.get(name) ?? 0) + nanoseconds / 1e9)
    }
  } catch {
    // A thread has ended meanwhile, or this is another system.
  }
  return times
}

/** Those that took more than a hundredth of the whole, the longest first, in µs for each of so many. */
export function timesEach(before: ThreadTimes, after: ThreadTimes, count: number): readonly ThreadTime[] {
  const all = [...after].map(([thread, seconds]) => ({
    thread,
    microseconds: Math.max(0, ((seconds - (before.get(thread) ?? 0)) * 1e6) / count),
  }))
  const sum = all.reduce((total, { microseconds }) => total + microseconds, 0)
  return all
    .filter(({ microseconds }) => microseconds > sum / 100)
    .sort((a, b) => b.microseconds - a.microseconds)
}

export interface ThreadTime {
  readonly thread: string
  readonly microseconds: number
}

/** `400 µs of computing each: 170 engine, 123 main …`; undefined where it is not known. */
export function toldTimes(times: readonly ThreadTime[]): string | undefined {
  if (times.length === 0) return undefined
  const sum = times.reduce((total, { microseconds }) => total + microseconds, 0)
  const parts = times.map(({ thread, microseconds }) => `${Math.round(microseconds)} ${thread}`)
  return `${Math.round(sum)} µs of computing each: ${parts.join(', ')}`
}
