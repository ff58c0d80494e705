/** Numbers of a run, in words. */

/** Half of the values are at most this. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}

export function readyTimes(readyMs: readonly number[]): string {
  const most = Math.max(...readyMs)
  return `${readyMs.length} starts, ready after ${Math.round(median(readyMs))} ms (median), ${Math.round(most)} ms (longest)`
}
