/** Rate limits: where processes share MongoDB they keep to them together, otherwise there is only this one. */
import type { Log } from './api/log.ts'
import { rateLimits, type RateLimits } from './api/rate-limits.ts'
import type { Config } from './config.ts'
import type { Clock } from './ports/clock.ts'

export interface LimitsOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
}

/** Trouble lasts, and is said once in this time. */
const SAY_EVERY_MS = 60_000

/** Undefined when there is no limit. */
export async function limitsOf({ config, clock, log }: LimitsOptions): Promise<RateLimits | undefined> {
  const { RATE_LIMIT_PER_MINUTE: perMinute, RATE_LIMIT_BURST: burst, MONGODB_URL: url } = config
  if (perMinute === 0) return undefined
  const shared = url && (await import('./adapters/mongodb/allowances.ts')).mongoAllowances({ url })
  let said = -Infinity
  return rateLimits({
    perMinute,
    burst,
    clock,
    ...(shared && { shared }),
    onTrouble(error) {
      if (clock.elapsed() - said < SAY_EVERY_MS) return
      said = clock.elapsed()
      log.warn({ err: error }, 'rate limits are kept by this process alone for now')
    },
  })
}
