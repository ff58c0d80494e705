/** Watches of integrations: a timer looks at each about twice a minute, and what has to be done goes on beside the timers. */
import type { Company } from '../../domain/events/event.ts'
import type { TimerRule } from '../../timers/rule.ts'
import { AGAIN_MS, FAILING_MS, Later, LOOK_MS } from '../calls/later.ts'
import { Unavailable, messageOf } from '../../domain/errors.ts'
import { INTEGRATION } from '../objects.ts'
import { loadIntegration, type IntegrationWork } from '../work.ts'
import { keepWatch } from './keep-watch.ts'

export interface Watches {
  readonly rule: TimerRule
  stop(): Promise<void>
}

export interface WatchesOptions {
  readonly work: IntegrationWork
  readonly onTrouble: (message: string, error: unknown) => void
}

export function watches({ work, onTrouble }: WatchesOptions): Watches {
  const { clock, files, health } = work
  const running = new Map<string, Promise<void>>()
  /** When one that did not work is tried again, and since when it has not. */
  const failing = new Map<string, { readonly next: number; readonly since: number }>()
  /** Those that are off and ended, by their timers. */
  const ended = new Set<string>()
  let isStopping = false

  const look = async (company: Company, key: string, name: string, occurrence: string): Promise<void> => {
    const id = `${key} ${name}`
    const integration = await loadIntegration(work, company, key)
    const file = files.get(integration?.definition ?? '')
    const watch = file?.watch.find((one) => one.name === name)
    if (!integration || !file || !watch) return
    try {
      const isKept = await keepWatch(work, { integration, file, watch })
      if (!isKept && integration.state === 'off') ended.add(`${key} ${occurrence}`)
      failing.delete(id)
      await health.well(integration, `watch ${name}`)
    } catch (error) {
      if (isStopping) return
      if (!(error instanceof Unavailable)) onTrouble(`${key} cannot watch ${name}`, error)
      const since = failing.get(id)?.since ?? clock.now()
      failing.set(id, { since, next: clock.now() + (error instanceof Later ? error.ms : AGAIN_MS) })
      const reason = messageOf(error)
      const isForPerson = error instanceof Later && error.isForPerson
      if (isForPerson || clock.now() - since >= FAILING_MS)
        await health.trouble(integration, `watch ${name}`, reason)
    }
  }

  return {
    rule: {
      name: 'integration.watch',
      shape: JSON.stringify(
        [...files.values()].map(({ integration, watch }) => [integration, watch.map((one) => one.name)]),
      ),
      object: INTEGRATION,
      fields: ['StartedAt'],
      backfill: true,
      // Also of one that is off: the other system is to end it.
      plan({ state: { fields, createdAt } }) {
        const startedAt = fields['StartedAt'] as string | null | undefined
        if (startedAt === null || startedAt === undefined) return []
        const file = files.get(fields['Definition'] as string)
        return (file?.watch ?? []).map(({ name }) => ({
          occurrence: `watch|${name}|${startedAt}`,
          due: Date.parse(createdAt),
        }))
      },
      async fire({ company, record: key, occurrence }) {
        const name = occurrence.split('|')[1]!
        const id = `${key} ${name}`
        if (ended.delete(`${key} ${occurrence}`)) return
        if (!running.has(id) && (failing.get(id)?.next ?? 0) <= clock.now()) {
          const going = look(company, key, name, occurrence)
            .catch((error: unknown) => onTrouble(`${key} cannot watch ${name}`, error))
            .finally(() => running.delete(id))
          running.set(id, going)
        }
        return { again: clock.now() + LOOK_MS }
      },
    },
    async stop() {
      isStopping = true
      await Promise.allSettled(running.values())
    },
  }
}
