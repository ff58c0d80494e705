/** When a schedule runs next: cron with five or six fields, by the clocks of a time zone. */
import { Cron } from 'croner'

/** In ms since 1970; undefined: never again. @throws Error for what is not cron, or not a time zone */
export function nextRun(cron: string, zone: string, after: number): number | undefined {
  const job = new Cron(cron, { timezone: zone, paused: true })
  return job.nextRun(new Date(after))?.getTime()
}

/** What is wrong with it, if anything. */
export function cronFault(cron: string, zone: string, now: number): string | undefined {
  if (!/^\S+( \S+){4,5}$/.test(cron.trim()))
    return 'must be cron with five or six fields, such as 0 6 * * 1-5'
  try {
    return nextRun(cron, zone, now) === undefined ? 'never comes' : undefined
  } catch {
    return 'must be cron with five or six fields, such as 0 6 * * 1-5'
  }
}
