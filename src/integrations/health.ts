/**
 * Whether an integration is failing: what a person has to put right, or what has not worked for long. It goes on meanwhile, and is
 * `running` again as soon as the part that failed works.
 */
import type { Steps } from '../commands/steps.ts'
import type { RecordStates } from '../commands/support/record-states.ts'
import { timestampOf } from '../domain/fields/dates.ts'
import type { Clock } from '../ports/clock.ts'
import { integrationOf, type Integration } from './integration.ts'
import { INTEGRATION } from './objects.ts'

export interface IntegrationHealth {
  /** @param part of its file, such as `poll changes` */
  trouble(integration: Named, part: string, reason: string): Promise<void>
  /** The part works. */
  well(integration: Named, part: string): Promise<void>
  /** How many integrations this process has last seen failing. */
  failing(): number
}

type Named = Pick<Integration, 'company' | 'key'>

export interface HealthOptions {
  readonly steps: Steps
  readonly states: Pick<RecordStates, 'load'>
  readonly clock: Pick<Clock, 'now'>
}

export function integrationHealth({ steps, states, clock }: HealthOptions): IntegrationHealth {
  /** Parts that fail, by integration. */
  const seen = new Map<string, Set<string>>()
  const load = async ({ company, key }: Named) => integrationOf(company, key, await states.load(company, key))
  const forget = (key: string, part: string) => {
    const parts = seen.get(key)
    parts?.delete(part)
    if (parts?.size === 0) seen.delete(key)
  }
  const type = `${INTEGRATION}.updated`

  return {
    async trouble(named, part, reason) {
      const integration = await load(named)
      const { company, key } = named
      if (integration?.state !== 'running' && integration?.state !== 'failing') return void seen.delete(key)
      seen.set(key, (seen.get(key) ?? new Set()).add(part))
      if (integration.state === 'failing') return
      const data = {
        State: 'failing',
        Reason: `${part}: ${reason}`.slice(0, 1_000),
        FailingIn: part,
        FailingSince: timestampOf(clock.now()),
      }
      const { version } = integration
      await steps.add({ company, key, version }, type, data, { source: `integration:${key}` })
    },
    async well(named, part) {
      const { company, key } = named
      forget(key, part)
      const integration = await load(named)
      if (integration?.state !== 'failing' || integration.failingIn !== part) return
      const { version } = integration
      await steps.add({ company, key, version }, type, WELL, { source: `integration:${key}` })
    },
    failing: () => seen.size,
  }
}

/** What is stored of an integration that works. */
export const WELL = { State: 'running', Reason: null, FailingIn: null, FailingSince: null } as const
