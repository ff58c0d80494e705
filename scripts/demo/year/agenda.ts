/** What happens in the year of the demo, and when: put down in any order, done in the order of time. */
import type { DemoClock } from '../demo-clock.ts'

export interface Agenda {
  /** Puts something down; things of the same moment are done in the order in which they were put down. */
  at(moment: number, work: () => Promise<unknown>): void
  /** Does all that is put down before `end`, with the clock at its moment; also what is put down meanwhile. */
  live(clock: DemoClock, end: number, passed: (moment: number) => void): Promise<void>
}

interface Entry {
  readonly moment: number
  readonly work: () => Promise<unknown>
}

export function agenda(): Agenda {
  const entries: Entry[] = []
  return {
    at(moment, work) {
      // Behind those of the same moment.
      let place = entries.length
      while (place > 0 && entries[place - 1]!.moment > moment) place--
      entries.splice(place, 0, { moment, work })
    },
    async live(clock, end, passed) {
      for (let next = entries.shift(); next && next.moment < end; next = entries.shift()) {
        clock.moveTo(next.moment)
        await next.work()
        passed(next.moment)
      }
    },
  }
}

/** The day so many days after another, `YYYY-MM-DD`. */
export function daysAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)
}

/** The moment of a clock in UTC. */
export function moment(day: string, hour: number, minute = 0): number {
  return Date.parse(day) + (hour * 60 + minute) * 60_000
}

/** The day itself, or the Monday after it; or so many days later, on which people work. */
export function workday(day: string, later = 0): string {
  const weekday = new Date(day).getUTCDay()
  if (weekday === 6 || weekday === 0) return workday(daysAfter(day, 1), later)
  return later === 0 ? day : workday(daysAfter(day, 1), later - 1)
}
