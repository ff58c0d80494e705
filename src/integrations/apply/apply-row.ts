/** A row of the inbox, applied: what came of it, and whether and when it is looked at again. */
import { Unavailable, messageOf } from '../../domain/errors.ts'
import type { Json } from '../../domain/json.ts'
import { Later } from '../calls/later.ts'
import type { InboxRow, Settled } from '../../ports/inbox.ts'
import { DEFAULT_SCHEDULE, nextAttemptIn } from '../../webhooks/schedule.ts'
import { isApplying } from '../integration.ts'
import { payloadOf } from '../receive/payload.ts'
import { loadIntegration, type IntegrationWork } from '../work.ts'
import { applyPayload } from './apply-payload.ts'
import { stateOf } from './results.ts'

/** How soon a row is looked at again when something else than the row is in the way, in ms. */
const LATER_MS = { paused: 60_000, store: 2_000, setUp: 300_000 }

export interface AppliedRow {
  readonly settled: Settled
  /** Rows of its integration are not to be looked at for now. */
  readonly isPaused?: true
  /** What nobody expected. */
  readonly trouble?: unknown
}

/** Never rejects. */
export async function applyRow(work: IntegrationWork, row: InboxRow): Promise<AppliedRow> {
  try {
    return await applied(work, row)
  } catch (error) {
    const ms = error instanceof Later ? Math.max(error.ms, LATER_MS.store) : LATER_MS.store
    if (error instanceof Unavailable) return { settled: postponed(work, row, ms, error.message) }
    const why = messageOf(error)
    return { settled: waiting(work, row, 'rejected', why, row.results), trouble: error }
  }
}

async function applied(work: IntegrationWork, row: InboxRow): Promise<AppliedRow> {
  const { company, id } = row
  const integration = await loadIntegration(work, company, row.integration)
  if (!integration) return { settled: decided(row, 'ignored', 'the integration was deleted', []) }
  if (!isApplying(integration))
    return { settled: { ...postponed(work, row, LATER_MS.paused), due: row.due }, isPaused: true }
  const entry = work.files.get(integration.definition)?.receive.find(({ name }) => name === row.entry)
  const access = await work.accessOf(company, integration.runAs)
  if (!entry || !access) {
    const reason = entry ? 'the company is suspended' : `${integration.definition} has no entry ${row.entry}`
    return { settled: postponed(work, row, LATER_MS.setUp, reason) }
  }
  const body = Buffer.from(work.sealing.open(row.payload, id))
  const payload = payloadOf(entry, body, row.receivedAt)
  if (payload === undefined) return { settled: decided(row, 'rejected', `the body is not ${entry.body}`, []) }
  const cause = { id, receivedAt: row.receivedAt }
  const { results, waitsFor, changed } = await applyPayload(work, {
    integration,
    entry,
    access,
    payload,
    body,
    cause,
  })
  const { state, reason } = stateOf(results)
  const json = results as unknown as Json
  const wakes = changed.length > 0 ? { wakes: [...new Set(changed)] } : {}
  if (state !== 'waiting') return { settled: { ...decided(row, state, reason, json), ...wakes } }
  return { settled: { ...waiting(work, row, 'ignored', reason, json), subject: waitsFor, ...wakes } }
}

const decided = (
  { id, integration, subject }: InboxRow,
  state: Settled['state'],
  reason: string | undefined,
  results: Json,
): Settled => ({ id, integration, state, reason, results, subject })

/** Looked at again by the schedule; at its end it is left as `last`. */
function waiting(
  { clock }: IntegrationWork,
  row: InboxRow,
  last: 'ignored' | 'rejected',
  reason: string | undefined,
  results: Json,
): Settled {
  const again = nextAttemptIn({
    schedule: DEFAULT_SCHEDULE,
    attempts: row.attempts + 1,
    random: Math.random(),
  })
  if (again === undefined) return decided(row, last, reason, results)
  return { ...decided(row, 'waiting', reason, results), due: clock.now() + again }
}

function postponed({ clock }: IntegrationWork, row: InboxRow, ms: number, reason = row.reason): Settled {
  const state = row.state === 'waiting' ? 'waiting' : 'stored'
  return { ...decided(row, state, reason, row.results), due: clock.now() + ms, isUncounted: true }
}
