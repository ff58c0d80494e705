/**
 * Integrations that a broker delivers to: each that is on keeps a connection in this process, and a timer sees to it that it is there.
 */
import type { TimerRule } from '../../timers/rule.ts'
import { INTEGRATION } from '../objects.ts'
import { LOOK_MS } from '../calls/later.ts'
import { fullness } from '../receive/accept.ts'
import { stayConnected, type Connecting } from './stay-connected.ts'

export interface Subscriptions {
  readonly rule: TimerRule
  stop(): Promise<void>
}

export interface SubscriptionsOptions extends Pick<Connecting, 'work' | 'source'> {
  readonly onTrouble: (message: string, error: unknown) => void
}

export function subscriptions({ work, source, onTrouble }: SubscriptionsOptions): Subscriptions {
  const { clock, files } = work
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  const connecting = { work, source, isFull: fullness(work), stopping: stopping.signal }

  return {
    rule: {
      name: 'integration.subscribe',
      shape: JSON.stringify(
        [...files.values()].flatMap(({ integration, subscribe }) => (subscribe ? [integration] : [])),
      ),
      object: INTEGRATION,
      fields: ['State'],
      backfill: true,
      plan({ state: { fields, createdAt } }) {
        const isMeant = files.get(fields['Definition'] as string)?.subscribe !== undefined
        if (fields['State'] === 'off' || !isMeant) return []
        return [{ occurrence: 'subscribe', due: Date.parse(createdAt) }]
      },
      async fire({ company, record: key }) {
        if (!running.has(key))
          running.set(
            key,
            stayConnected(connecting, company, key)
              .catch((error: unknown) => {
                if (!stopping.signal.aborted) onTrouble(`${key} cannot take messages of its broker`, error)
              })
              .finally(() => running.delete(key)),
          )
        return { again: clock.now() + LOOK_MS }
      },
    },
    async stop() {
      stopping.abort()
      await Promise.allSettled(running.values())
    },
  }
}
