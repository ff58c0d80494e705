/** Rate limits: where processes share MongoDB they keep to them together, otherwise there is only this one. */
import { loginLimits, type LoginLimits } from '../../api/identity/login-limits.ts'
import type { Log } from '../../ports/log.ts'
import type { CompanyLimits } from '../../api/http/limits/limited.ts'
import { rateLimits, type RateLimits } from '../../api/http/limits/rate-limits.ts'
import type { Config } from '../../config.ts'
import type { Allowances } from '../../ports/allowances.ts'
import type { Clock } from '../../ports/clock.ts'

export interface LimitsOptions {
  readonly config: Config
  readonly clock: Clock
  readonly log: Log
}

/** Trouble lasts, and is said once in this time. */
const SAY_EVERY_MS = 60_000

/** Undefined when there is no limit. */
export async function limitsOf(options: LimitsOptions): Promise<RateLimits | undefined> {
  const { RATE_LIMIT_PER_MINUTE: perMinute, RATE_LIMIT_BURST: burst } = options.config
  if (perMinute === 0) return undefined
  return rateLimits({ perMinute, burst, ...(await counted(options, 'rate limits are kept')) })
}

/** What a company may do, where that is limited. */
export async function companyLimitsOf(options: LimitsOptions): Promise<CompanyLimits> {
  const { COMPANY_RATE_LIMIT_PER_MINUTE: requests, COMPANY_ROWS_PER_MINUTE: rows } = options.config
  const limit = async (name: string, perMinute: number) =>
    perMinute === 0
      ? undefined
      : rateLimits({
          name,
          perMinute,
          burst: perMinute,
          ...(await counted(options, 'limits of companies are kept')),
        })
  return { requests: await limit('company', requests), rows: await limit('company-rows', rows) }
}

/** Always there: passwords are not to be guessed, whatever else is let in. */
export async function loginLimitsOf(options: LimitsOptions): Promise<LoginLimits> {
  return loginLimits(await counted(options, 'tries of logins are counted'))
}

async function counted({ config, clock, log }: LimitsOptions, what: string) {
  const { MONGODB_URL: url } = config
  const shared: Allowances | undefined = url
    ? (await import('../../adapters/mongodb/allowances.ts')).mongoAllowances({ url })
    : undefined
  let said = -Infinity
  return {
    clock,
    ...(shared && { shared }),
    onTrouble(error: unknown) {
      if (clock.elapsed() - said < SAY_EVERY_MS) return
      said = clock.elapsed()
      log.warn({ err: error }, `${what} by this process alone for now`)
    },
  }
}
