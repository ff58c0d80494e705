/** The midnights at which the service does something by itself: leases that have run out, invoices that are overdue. */
import { setTimeout as delay } from 'node:timers/promises'
import type { ApiClient } from '../api-client.ts'
import { daysAfter, moment } from './agenda.ts'
import type { Story } from './story.ts'

const WAIT_MS = 30_000
const REST_MS = 20

/** Stops the clock shortly after the midnight that ends the day, until all is done that is due then. */
export function waitAfter({ agenda, as, midnights }: Story, day: string): void {
  if (midnights.has(day)) return
  midnights.add(day)
  const next = daysAfter(day, 1)
  agenda.at(moment(next, 0, 1), () => untilDone(as.maria, next))
}

async function untilDone(api: ApiClient, today: string): Promise<void> {
  const due = [
    `contract?filter=${encodeURIComponent(`Status eq 'Active' and EndDate lt ${today}`)}`,
    `invoice?filter=${encodeURIComponent(`Status in ('Issued', 'PartlyPaid') and DueDate lt ${today}`)}`,
  ]
  for (const path of due)
    for (const until = performance.now() + WAIT_MS; ; await delay(REST_MS)) {
      const { total } = await api.call('GET', `${path}&pageSize=1`)
      if (total === 0) break
      if (performance.now() > until) throw new Error(`${total} are still due: ${path}`)
    }
}
