/**
 * A full sync: all that is there is read and taken over once more, then what is here and not there, or not as it is here, is sent. Each
 * step is stored before the next, so that a process that dies goes on where it was. A timer begins it.
 */
import { timestampOf } from '../../domain/fields/dates.ts'
import { Unavailable, messageOf } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { TimerRule } from '../../timers/rule.ts'
import { WELL } from '../health.ts'
import { canAsk, isApplying, type Integration } from '../integration.ts'
import { INTEGRATION } from '../objects.ts'
import type { Polls } from '../poll/polls.ts'
import { loadIntegration, type IntegrationWork } from '../work.ts'
import { askedFullSync, isOver, loadFullSync, noteFullSync, type FullSync } from './full-syncs.ts'
import { queueRecords, sendsRecords } from './queue-records.ts'

export interface FullSyncs {
  readonly rule: TimerRule
  stop(): Promise<void>
}

export interface FullSyncsOptions {
  readonly work: IntegrationWork
  readonly polls: Pick<Polls, 'full'>
  readonly onTrouble: (message: string, error: unknown) => void
}

const LOOK_MS = 1_000
const AGAIN_MS = 30_000

export function fullSyncs({ work, polls, onTrouble }: FullSyncsOptions): FullSyncs {
  const running = new Map<string, Promise<void>>()
  let isStopping = false

  const run = async (company: Company, key: string) => {
    while (!isStopping) {
      const integration = await loadIntegration(work, company, key)
      if (!integration) return
      const sync = await beginning(work, integration)
      if (!sync || isOver(sync) || !isApplying(integration)) return
      const next = await stepOf(work, polls, integration, sync)
      if (next === undefined) return
      const noted = await noteFullSync(work, integration, next)
      if (noted && isOver(noted)) return finish(work, integration)
    }
  }

  const start = (company: Company, key: string) => {
    const going = run(company, key)
      .catch(async (error: unknown) => {
        if (isStopping) return
        if (!(error instanceof Unavailable)) onTrouble(`${key} cannot be synced in full`, error)
        const integration = await loadIntegration(work, company, key)
        const sync = integration && (await loadFullSync(work, integration))
        const reason = messageOf(error).slice(0, 1_000)
        if (sync && sync.reason !== reason) await noteFullSync(work, integration, { ...sync, reason })
      })
      .catch((error: unknown) => onTrouble(`${key} cannot be synced in full`, error))
      .finally(() => running.delete(key))
    running.set(key, going)
  }

  return {
    rule: {
      name: 'integration.sync',
      shape: '1',
      object: INTEGRATION,
      fields: ['State', 'SyncAskedAt'],
      backfill: true,
      plan({ state: { fields } }) {
        const asked = fields['SyncAskedAt']
        if (fields['State'] === 'off' || typeof asked !== 'string') return []
        return [{ occurrence: `sync|${asked}`, due: Date.parse(asked) }]
      },
      async fire({ company, record: key }) {
        if (running.has(key)) return { again: work.clock.now() + LOOK_MS }
        const integration = await loadIntegration(work, company, key)
        const sync = integration && (await loadFullSync(work, integration))
        if (!integration || (sync && isOver(sync) && sync.askedAt === integration.syncAskedAt)) return
        start(company, key)
        return { again: work.clock.now() + (sync?.reason === undefined ? LOOK_MS : AGAIN_MS) }
      },
    },
    async stop() {
      isStopping = true
      await Promise.allSettled(running.values())
    },
  }
}

/** What goes on, or what was asked for since. */
async function beginning(work: IntegrationWork, integration: Integration): Promise<FullSync | undefined> {
  const { syncAskedAt, state } = integration
  const before = await loadFullSync(work, integration)
  if (syncAskedAt === undefined || before?.askedAt === syncAskedAt) return before
  return noteFullSync(work, integration, askedFullSync(before, syncAskedAt, state === 'initialising'))
}

/** The sync after its next step; undefined: it has to wait. @throws Later; Unavailable */
async function stepOf(
  work: IntegrationWork,
  polls: Pick<Polls, 'full'>,
  integration: Integration,
  { reason: _, ...before }: FullSync,
): Promise<FullSync | undefined> {
  const sync = { ...before, reason: undefined }
  const file = work.files.get(integration.definition)
  if (!file)
    return { ...sync, state: 'stopped', reason: `there is no file ${integration.definition} any more` }
  const { step } = sync
  if (sync.state === 'polling') {
    const poll = canAsk(integration, file) ? file.poll[step] : undefined
    if (!poll) return { ...sync, state: 'applying', step: 0 }
    const read = await polls.full(integration, poll, sync.askedAt)
    return { ...sync, step: step + 1, read: sync.read + read }
  }
  if (sync.state === 'applying') {
    const { total } = await work.inbox.list(integration.company, integration.key, {
      state: 'stored',
      offset: 0,
      limit: 1,
    })
    return total > 0 ? undefined : { ...sync, state: 'sending', step: 0 }
  }
  const entry = file.send[step]
  if (!entry) {
    const finishedAt = timestampOf(work.clock.now())
    return { ...sync, state: 'done', finishedAt }
  }
  if (!sendsRecords(entry)) return { ...sync, step: step + 1, after: undefined }
  const { queued, after } = await queueRecords(work, { integration, file, entry }, sync)
  const all = { ...sync, queued: sync.queued + queued, after }
  return after === undefined ? { ...all, step: step + 1 } : all
}

/** From now on changes are announced. */
async function finish(work: IntegrationWork, { company, key }: Integration): Promise<void> {
  for (;;) {
    const integration = await loadIntegration(work, company, key)
    if (integration?.state !== 'initialising') return
    const { version } = integration
    const by = { source: `integration:${key}` }
    if (await work.steps.add({ company, key, version }, `${INTEGRATION}.updated`, WELL, by)) return
  }
}
