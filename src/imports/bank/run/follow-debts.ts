/**
 * Lines that were imported before what they are for: when invoices, payments or accounts of tenants come or change, the open lines of
 * the company are matched again, a little later and together. A follower of all events, whose position is kept with the timers; what
 * was seen and not matched yet is seen again after a start.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Caller } from '../../../commands/command.ts'
import { SYSTEM, type Company, type Position, type RecordedEvent } from '../../../domain/events/event.ts'
import { parseFilter } from '../../../domain/filter/parse.ts'
import { objectOfKey } from '../../../domain/records/key.ts'
import type { LastEvent, ProjectionStore } from '../../../ports/projection-store.ts'
import type { Timers } from '../../../ports/timers.ts'
import { BANK_LINE } from '../bank-file.ts'
import { INVOICE, PAYMENT } from '../matches/debts.ts'
import { matchAccount } from '../matches/match-account.ts'
import type { MatchWork } from '../matches/steps.ts'
import { BANK_ACCOUNT } from './accounts.ts'
import { caughtUp, recordsOf } from './company-records.ts'

export interface FollowDebtsOptions {
  readonly work: MatchWork
  readonly timers: Pick<Timers, 'position' | 'store'>
  /** From the first change to the matching, so that many changes are matched at once. */
  readonly afterMs?: number | undefined
  readonly onTrouble: (message: string, error: unknown) => void
}

const NAME = 'matches'
const AFTER_MS = 10_000
const TENANT = 'tenant'

/** A projection (`projections/projection.ts`): of all events, those that the follower takes. */
export const debtsProjection = {
  name: NAME,
  needs: [] as const,
  project: (event: RecordedEvent): readonly RecordedEvent[] => (mayMatter(event) ? [event] : []),
}

function mayMatter({ stream, data }: RecordedEvent): boolean {
  const object = objectOfKey(stream)
  return object === INVOICE || object === PAYMENT || (object === TENANT && 'Iban' in data)
}

export interface DebtsFollower extends ProjectionStore<RecordedEvent> {
  /** Ends the matching that is under way. */
  stop(): Promise<void>
}

export function followDebts({
  work,
  timers,
  afterMs = AFTER_MS,
  onTrouble,
}: FollowDebtsOptions): DebtsFollower {
  const stopping = new AbortController()
  const { signal } = stopping
  const changed = new Set<Company>()
  let reached: { readonly position: Position; readonly last: LastEvent | undefined } | undefined
  let going: Promise<void> | undefined

  const matchAll = async () => {
    await delay(afterMs, undefined, { signal, ref: false }).catch(() => {})
    if (signal.aborted) return
    const now = reached!
    const companies = [...changed]
    changed.clear()
    for (const company of companies)
      try {
        if (!signal.aborted) await matchOpenLines(work, company)
      } catch (error) {
        changed.add(company)
        onTrouble(`open lines of banks of ${company} could not be matched again`, error)
      }
    // What has come meanwhile is not stored with it.
    if (changed.size === 0 || companies.every((company) => !changed.has(company)))
      await timers.store([], new Map([[NAME, now.position]]), now.last)
  }
  const go = async () => {
    while (changed.size > 0 && !signal.aborted)
      await matchAll().catch((error: unknown) => onTrouble('open lines of banks wait', error))
  }

  return {
    position: () => timers.position(NAME),
    apply(batch, position, last) {
      for (const { steps } of batch)
        for (const { operations } of steps)
          for (const { metadata } of operations) changed.add(metadata.company)
      reached = { position, last }
      if (changed.size > 0) going ??= go().finally(() => (going = undefined))
      return Promise.resolve()
    },
    settled: async () => {},
    close: async () => {},
    async stop() {
      stopping.abort()
      await going
    },
  }
}

/** Of all accounts that have any. */
async function matchOpenLines(work: MatchWork, company: Company): Promise<void> {
  if (!work.definitions.has(BANK_LINE)) return
  await caughtUp(work)
  const open = parseFilter(
    `Status eq 'Unmatched' or Status eq 'Proposed'`,
    work.definitions.get(BANK_LINE)!,
    work.definitions,
  )
  const asked = { object: BANK_LINE, filter: open, sort: [], offset: 0, limit: 1, expand: [] }
  if ((await work.readModels.list(company, asked)).records.length === 0) return
  for await (const { key } of recordsOf(work, company, BANK_ACCOUNT))
    await matchAccount(work, serviceIn(work, company), key)
}

/** The importer's own work is done: these matches are the service's. */
const serviceIn = ({ newCommand }: Pick<MatchWork, 'newCommand'>, company: Company): Caller => ({
  company,
  actor: SYSTEM,
  correlation: newCommand(),
  command: newCommand(),
})
