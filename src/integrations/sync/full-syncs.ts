/** How far a full sync of an integration has come. There is one stream for each integration, of which the last sync counts. */
import { derivedKey } from '../../commands/support/identifiers.ts'
import type { Fields } from '../../domain/json.ts'
import { FULL_SYNC, type FullSyncState } from '../objects.ts'
import type { Integration } from '../integration.ts'
import type { IntegrationWork } from '../work.ts'

export interface FullSync {
  readonly version: number
  readonly askedAt: string
  readonly state: FullSyncState
  /** The integration was started with it: what it writes is not announced. */
  readonly isInitial: boolean
  /** Which entry of the file is at work, from 0. */
  readonly step: number
  /** The record that it has come to. */
  readonly after: string | undefined
  /** Items of the other system. */
  readonly read: number
  /** Records that are written down to be sent. */
  readonly queued: number
  readonly finishedAt: string | undefined
  /** Why it cannot go on for now. */
  readonly reason: string | undefined
}

type Named = Pick<Integration, 'company' | 'key'>

const keyOf = ({ company, key }: Named) => derivedKey(FULL_SYNC, JSON.stringify([company, key]), 0)

/** Undefined: none was ever asked for. */
export async function loadFullSync(
  { states }: Pick<IntegrationWork, 'states'>,
  integration: Named,
): Promise<FullSync | undefined> {
  const { fields, version } = await states.load(integration.company, keyOf(integration))
  if (version === 0) return undefined
  const text = (name: string) => (fields[name] as string | null | undefined) ?? undefined
  return {
    version,
    askedAt: text('AskedAt')!,
    state: fields['State'] as FullSyncState,
    isInitial: fields['IsInitial'] === true,
    step: Number(fields['Step'] ?? 0),
    after: text('After'),
    read: Number(fields['Read'] ?? 0),
    queued: Number(fields['Queued'] ?? 0),
    finishedAt: text('FinishedAt'),
    reason: text('Reason'),
  }
}

/** Undefined when another process was faster. */
export async function noteFullSync(
  { steps }: Pick<IntegrationWork, 'steps'>,
  integration: Named,
  now: FullSync,
): Promise<FullSync | undefined> {
  const { version } = now
  const data: Fields = {
    ...(version === 0 && { Integration: integration.key }),
    AskedAt: now.askedAt,
    State: now.state,
    IsInitial: now.isInitial,
    Step: now.step,
    After: now.after ?? null,
    Read: now.read,
    Queued: now.queued,
    FinishedAt: now.finishedAt ?? null,
    Reason: now.reason ?? null,
  }
  const at = { company: integration.company, key: keyOf(integration), version }
  const type = `${FULL_SYNC}.${version === 0 ? 'created' : 'updated'}`
  return (await steps.add(at, type, data)) ? { ...now, version: version + 1 } : undefined
}

export const isOver = ({ state }: Pick<FullSync, 'state'>): boolean => state === 'done' || state === 'stopped'

/** Of what was asked for and has not begun yet. */
export function askedFullSync(before: FullSync | undefined, askedAt: string, isInitial: boolean): FullSync {
  return {
    version: before?.version ?? 0,
    askedAt,
    state: 'polling',
    isInitial,
    step: 0,
    after: undefined,
    read: 0,
    queued: 0,
    finishedAt: undefined,
    reason: undefined,
  }
}
