/** How many mails a trigger of a company may send an hour: a storm is held, not lost. Known to this process alone. */
import type { Company } from '../../domain/events/event.ts'

const HOUR_MS = 3_600_000

/** How many ms a mail has to wait; 0: it may go, and counts. @param perHour 0: no limit */
export function mailPace({ perHour, elapsed }: { readonly perHour: number; readonly elapsed: () => number }) {
  const sent = new Map<string, number[]>()
  return (company: Company, trigger: string): number => {
    if (perHour === 0) return 0
    const now = elapsed()
    const name = `${company} ${trigger}`
    const times = (sent.get(name) ?? []).filter((time) => time > now - HOUR_MS)
    sent.set(name, times)
    if (times.length >= perHour) return times[0]! + HOUR_MS - now
    times.push(now)
    return 0
  }
}
