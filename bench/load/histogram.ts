/**
 * Latencies, counted in buckets: recording one allocates nothing, whatever their number.
 *
 * Buckets are 1 µs wide up to 1,024 µs and from there on grow with the value, so that a percentile is off by 0.2 % at
 * most. What takes longer than a minute counts as a minute.
 */

export interface Histogram {
  /** One latency, in ms. */
  record(milliseconds: number): void
  readonly count: number
  /** The latency, in ms, that this share (0 to 1) of all did not exceed; 0 when there are none. */
  percentile(share: number): number
}

const LINEAR = 1_024
const HALF = LINEAR / 2
const MOST_US = 60_000_000

export function latencyHistogram(): Histogram {
  const counts = new Uint32Array(bucketOf(MOST_US) + 1)
  let count = 0
  return {
    record(milliseconds) {
      counts[bucketOf(Math.min(MOST_US, milliseconds * 1_000))]!++
      count++
    },
    get count() {
      return count
    },
    percentile(share) {
      if (count === 0) return 0
      let left = Math.max(1, Math.ceil(count * share))
      for (let bucket = 0; ; bucket++) {
        left -= counts[bucket]!
        if (left <= 0) return highest(bucket) / 1_000
      }
    },
  }
}

/** Past the linear part, every doubling of the value is cut into as many buckets as half of that part has. */
function bucketOf(microseconds: number): number {
  const value = Math.max(0, Math.floor(microseconds))
  if (value < LINEAR) return value
  const doublings = 31 - Math.clz32(value) - 9
  return doublings * HALF + (value >>> doublings)
}

/** The largest value of the bucket, in µs. */
function highest(bucket: number): number {
  if (bucket < LINEAR) return bucket + 1
  const doublings = Math.floor(bucket / HALF) - 1
  return (bucket - doublings * HALF + 1) * 2 ** doublings - 1
}
