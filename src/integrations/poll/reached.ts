/** How far a poll has come, and why it fails where it does. An event for each step; none where nothing has changed. */
import { derivedKey } from '../../commands/support/identifiers.ts'
import { timestampOf } from '../../domain/fields/dates.ts'
import type { Fields } from '../../domain/json.ts'
import { POLL } from '../objects.ts'
import type { Integration } from '../integration.ts'
import type { IntegrationWork } from '../work.ts'

export interface Reached {
  /** The latest change that was seen. */
  readonly checkpoint: string | undefined
  /** Where the other system says that the next poll begins. */
  readonly resume: string | undefined
  /** Why it fails. */
  readonly reason: string | undefined
  /** Since when. */
  readonly failedAt: string | undefined
  /** When it last ended, whatever came of it; an hour late at most. */
  readonly lastRunAt: string | undefined
  readonly version: number
}

/** A run that changes nothing is noted as seldom as this. */
const NOTED_EVERY_MS = 3_600_000

export const pollKey = ({ company, key }: Pick<Integration, 'company' | 'key'>, poll: string): string =>
  derivedKey(POLL, JSON.stringify([company, key, poll]), 0)

export async function loadReached(
  { states }: Pick<IntegrationWork, 'states'>,
  integration: Pick<Integration, 'company' | 'key'>,
  poll: string,
): Promise<Reached> {
  const { fields, version } = await states.load(integration.company, pollKey(integration, poll))
  const text = (name: string) => (fields[name] as string | null | undefined) ?? undefined
  return {
    checkpoint: text('Checkpoint'),
    resume: text('Resume'),
    reason: text('Reason'),
    failedAt: text('FailedAt'),
    lastRunAt: text('LastRunAt'),
    version,
  }
}

/** Stores it where it is another; a process that was overtaken leaves it. */
export async function noteReached(
  work: Pick<IntegrationWork, 'states' | 'steps' | 'clock'>,
  integration: Integration,
  poll: string,
  { checkpoint, resume, reason, version }: Reached,
): Promise<void> {
  const before = await loadReached(work, integration, poll)
  const now = work.clock.now()
  const isNoted = before.lastRunAt !== undefined && now - Date.parse(before.lastRunAt) < NOTED_EVERY_MS
  const isSame =
    before.checkpoint === checkpoint && before.resume === resume && before.reason === reason && isNoted
  if (isSame) return
  const moment = timestampOf(now)
  const data: Fields = {
    ...(version === 0 && { Integration: integration.key, Entry: poll }),
    Checkpoint: checkpoint ?? null,
    Resume: resume ?? null,
    Reason: reason ?? null,
    FailedAt: reason === undefined ? null : (before.failedAt ?? moment),
    LastRunAt: moment,
  }
  const at = { company: integration.company, key: pollKey(integration, poll), version }
  await work.steps.add(at, version === 0 ? `${POLL}.created` : `${POLL}.updated`, data)
}
