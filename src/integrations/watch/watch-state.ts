/** What is known of a watch: its Id at the other system, and until when it lasts. */
import { derivedKey } from '../../commands/support/identifiers.ts'
import type { Integration } from '../integration.ts'
import { WATCH } from '../objects.ts'
import type { IntegrationWork } from '../work.ts'

export interface WatchState {
  /** Undefined: there is none. */
  readonly externalId: string | undefined
  /** A digest of what was asked for. */
  readonly asked: string | undefined
  readonly renewedAt: string | undefined
  readonly expiresAt: string | undefined
  readonly version: number
}

type Named = Pick<Integration, 'company' | 'key'>

const watchKey = ({ company, key }: Named, name: string): string =>
  derivedKey(WATCH, JSON.stringify([company, key, name]), 0)

export async function loadWatch(
  { states }: Pick<IntegrationWork, 'states'>,
  integration: Named,
  name: string,
): Promise<WatchState> {
  const { fields, version } = await states.load(integration.company, watchKey(integration, name))
  const text = (field: string) => (fields[field] as string | null | undefined) ?? undefined
  return {
    externalId: text('ExternalId'),
    asked: text('Asked'),
    renewedAt: text('RenewedAt'),
    expiresAt: text('ExpiresAt'),
    version,
  }
}

/** A process that was overtaken leaves it: two watches cost a poll more, and the older one ends by itself. */
export async function noteWatch(
  { steps }: Pick<IntegrationWork, 'steps'>,
  integration: Named,
  name: string,
  { version, ...state }: WatchState,
): Promise<void> {
  const data = {
    ...(version === 0 && { Integration: integration.key, Entry: name }),
    ExternalId: state.externalId ?? null,
    Asked: state.asked ?? null,
    RenewedAt: state.renewedAt ?? null,
    ExpiresAt: state.expiresAt ?? null,
  }
  const at = { company: integration.company, key: watchKey(integration, name), version }
  await steps.add(at, version === 0 ? `${WATCH}.created` : `${WATCH}.updated`, data)
}
