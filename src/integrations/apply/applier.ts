/**
 * Applies what the inbox holds, some rows at a time. What was applied is known again by its events: a row that is applied twice,
 * because a process died or two have it, changes nothing the second time.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Applying } from '../../ports/inbox.ts'
import type { IntegrationWork } from '../work.ts'
import { applyRow } from './apply-row.ts'

export interface ApplierOptions {
  readonly work: IntegrationWork
  readonly inbox: Applying
  /** How long rows are kept, in ms. */
  readonly keepMs: number
  readonly onTrouble: (message: string, error: unknown) => void
}

export interface Applier {
  /** Applies all that is due now; how many rows that were. */
  once(): Promise<number>
  /** Something has come, or an integration goes on. */
  wake(integration?: string): void
  start(): void
  stop(): Promise<void>
}

const PIECE = 64
/** How long one process has what it has taken. */
const LEASE_MS = 60_000
const LOOK_MS = 1_000
const TROUBLE_MS = 2_000
/** How long an integration that is paused is passed over. */
const PAUSED_MS = 5_000
const PURGE_EVERY_MS = 3_600_000
const PURGED_AT_ONCE = 500

export function applier({ work, inbox, keepMs, onTrouble }: ApplierOptions): Applier {
  const { clock } = work
  const stopping = new AbortController()
  /** Until when integrations are passed over. */
  const paused = new Map<string, number>()
  let running: Promise<void> = Promise.resolve()
  let rouse = () => {}
  let purgedAt = 0

  const once = async (): Promise<number> => {
    let count = 0
    while (!stopping.signal.aborted) {
      const now = clock.now()
      for (const [integration, until] of paused) if (until <= now) paused.delete(integration)
      const rows = await inbox.take({ now, until: now + LEASE_MS, limit: PIECE, except: [...paused.keys()] })
      if (rows.length === 0) break
      const all = await Promise.all(rows.map((row) => applyRow(work, row)))
      for (const { settled, isPaused, trouble } of all) {
        if (isPaused) paused.set(settled.integration, now + PAUSED_MS)
        if (trouble !== undefined) onTrouble(`${settled.id} cannot be applied`, trouble)
      }
      await inbox.settle(
        all.map(({ settled }) => settled),
        clock.now(),
      )
      count += rows.length
    }
    return count
  }

  const purge = async () => {
    const now = clock.now()
    if (now - purgedAt < PURGE_EVERY_MS) return
    while (!stopping.signal.aborted && (await inbox.purge(now - keepMs, PURGED_AT_ONCE)) === PURGED_AT_ONCE);
    purgedAt = now
  }

  const run = async () => {
    while (!stopping.signal.aborted) {
      const woken = new Promise<void>((resolve) => (rouse = resolve))
      const rest = await once()
        .then(purge)
        .then(
          () => LOOK_MS,
          (error: unknown) => {
            if (!stopping.signal.aborted) onTrouble('the inbox cannot be applied for now', error)
            return TROUBLE_MS
          },
        )
      const waiting = delay(rest, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
      await Promise.race([waiting, ...(rest === LOOK_MS ? [woken] : [])])
    }
  }

  return {
    once,
    wake(integration) {
      if (integration !== undefined) paused.delete(integration)
      rouse()
    },
    start: () => void (running = run()),
    async stop() {
      stopping.abort()
      rouse()
      await running
    },
  }
}
