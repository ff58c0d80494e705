/** One run of a poll, and what is noted of it: until when it rests, and whether the integration is failing. */
import type { Company } from '../../domain/events/event.ts'
import { Unavailable, messageOf } from '../../domain/errors.ts'
import { AGAIN_MS, FAILING_MS, Later } from '../calls/later.ts'
import { canAsk, isApplying, type Integration } from '../integration.ts'
import { loadIntegration, type IntegrationWork } from '../work.ts'
import { pollOnce } from './poll-once.ts'
import { loadReached, noteReached } from './reached.ts'

export interface PollAttempts {
  readonly work: IntegrationWork
  /** Rests for so many ms. @throws when the process stops */
  readonly wait: (ms: number) => Promise<void>
  readonly isStopping: () => boolean
  readonly onTrouble: (message: string, error: unknown) => void
}

const partOf = (poll: string) => `poll ${poll}`

/** In how many ms it is due again; undefined: it is not to run now. */
export async function attemptPoll(
  { work, wait, isStopping, onTrouble }: PollAttempts,
  company: Company,
  key: string,
  name: string,
): Promise<number | undefined> {
  const { clock, files } = work
  const integration = await loadIntegration(work, company, key)
  const file = files.get(integration?.definition ?? '')
  const poll = file?.poll.find((one) => one.name === name)
  if (!integration || !file || !poll || !isApplying(integration)) return undefined
  // The full sync asks for everything.
  if (integration.state === 'initialising') return undefined
  if (!canAsk(integration, file)) return undefined
  try {
    await pollOnce(work, { integration, file, poll, wait })
    await noteReason(work, integration, name, undefined)
    await work.health.well(integration, partOf(name))
    return poll.every * 1_000
  } catch (error) {
    if (isStopping()) return AGAIN_MS
    if (!(error instanceof Unavailable)) onTrouble(`${key} cannot poll ${name}`, error)
    const reason = messageOf(error)
    await noteReason(work, integration, name, reason.slice(0, 1_000))
    const { failedAt } = await loadReached(work, integration, name)
    const isLong = failedAt !== undefined && clock.now() - Date.parse(failedAt) >= FAILING_MS
    if (isLong || (error instanceof Later && error.isForPerson))
      await work.health.trouble(integration, partOf(name), reason)
    return error instanceof Later ? Math.max(error.ms, 1_000) : AGAIN_MS
  }
}

/** Undefined: it has worked. */
export async function noteReason(
  work: IntegrationWork,
  integration: Integration,
  poll: string,
  reason: string | undefined,
): Promise<void> {
  const reached = await loadReached(work, integration, poll)
  await noteReached(work, integration, poll, { ...reached, reason })
}
