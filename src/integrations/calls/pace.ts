/**
 * How fast requests go to another system: no more in a time than its file says, and none while it has asked for patience.
 * Of this process: processes that share an integration have its rate each.
 */
export interface Pace {
  /** In how many ms the next request may go; 0: it may go now, and counts. */
  take(integration: string, rate: Rate | undefined): number
  /** No request goes for so many ms. */
  rest(integration: string, ms: number): void
}

export interface Rate {
  readonly requests: number
  readonly seconds: number
}

interface Bucket {
  tokens: number
  filledAt: number
  restsUntil: number
}

/** @param elapsed monotonic, in ms */
export function pace(elapsed: () => number): Pace {
  const buckets = new Map<string, Bucket>()
  const bucketOf = (integration: string, full: number): Bucket => {
    const known = buckets.get(integration)
    if (known) return known
    const made = { tokens: full, filledAt: elapsed(), restsUntil: 0 }
    buckets.set(integration, made)
    return made
  }
  return {
    take(integration, rate) {
      const now = elapsed()
      const bucket = bucketOf(integration, rate?.requests ?? 1)
      if (bucket.restsUntil > now) return Math.ceil(bucket.restsUntil - now)
      if (!rate) return 0
      const aToken = (rate.seconds * 1_000) / rate.requests
      bucket.tokens = Math.min(rate.requests, bucket.tokens + (now - bucket.filledAt) / aToken)
      bucket.filledAt = now
      if (bucket.tokens < 1) return Math.ceil((1 - bucket.tokens) * aToken)
      bucket.tokens -= 1
      return 0
    },
    rest(integration, ms) {
      const bucket = bucketOf(integration, 1)
      bucket.restsUntil = Math.max(bucket.restsUntil, elapsed() + ms)
    },
  }
}
