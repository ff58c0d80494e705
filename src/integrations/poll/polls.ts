/**
 * Polls in their time. A timer looks at each of an integration that is on, about twice a minute; a poll that is due then goes on
 * beside the timers, one of each at a time in a process. After a start each is due at once.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../../domain/errors.ts'
import type { TimerRule } from '../../timers/rule.ts'
import { Later } from '../calls/fetch-named.ts'
import { canAsk, isApplying, type Integration } from '../integration.ts'
import { INTEGRATION } from '../objects.ts'
import { loadIntegration, type IntegrationWork } from '../work.ts'
import type { Polled } from '../definition/poll-schema.ts'
import { pollOnce } from './poll-once.ts'
import { loadReached, noteReached } from './reached.ts'

export interface Polls {
  readonly rule: TimerRule
  /**
   * Asks for everything, as soon as a poll that is under way has ended; how many items came.
   * @param full when that was asked for
   * @throws Later; Unavailable
   */
  full(integration: Integration, poll: Polled, full: string): Promise<number>
  /** When a poll last ended in this process, and when it is due, in ms since 1970. */
  times(integration: string, poll: string): PollTimes
  stop(): Promise<void>
}

export interface PollTimes {
  readonly last: number | undefined
  readonly next: number | undefined
}

export interface PollsOptions {
  readonly work: IntegrationWork
  readonly onTrouble: (message: string, error: unknown) => void
}

const LOOK_MS = 30_000
const AGAIN_MS = 60_000
/** What does not work for so long is for a person to see. */
const FAILING_MS = 900_000

const partOf = (poll: string) => `poll ${poll}`

export function polls({ work, onTrouble }: PollsOptions): Polls {
  const { clock, files } = work
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  /** When a poll is due next. */
  const next = new Map<string, number>()
  const ended = new Map<string, number>()
  const idOf = (key: string, poll: string) => `${key} ${poll}`
  const wait = async (ms: number) => {
    await delay(ms, undefined, { signal: stopping.signal })
  }

  const run = async (company: string, key: string, name: string): Promise<number> => {
    const integration = await loadIntegration(work, company, key)
    const file = files.get(integration?.definition ?? '')
    const poll = file?.poll.find((one) => one.name === name)
    if (!integration || !file || !poll || !isApplying(integration)) return LOOK_MS
    // The full sync asks for everything.
    if (integration.state === 'initialising') return LOOK_MS
    if (!canAsk(integration, file)) return LOOK_MS
    try {
      await pollOnce(work, { integration, file, poll, wait })
      await noteReason(integration, name, undefined)
      await work.health.well(integration, partOf(name))
      return poll.every * 1_000
    } catch (error) {
      if (stopping.signal.aborted) return AGAIN_MS
      if (!(error instanceof Unavailable)) onTrouble(`${key} cannot poll ${name}`, error)
      const reason = error instanceof Error ? error.message : String(error)
      await noteReason(integration, name, reason.slice(0, 1_000))
      const { failedAt } = await loadReached(work, integration, name)
      const isLong = failedAt !== undefined && clock.now() - Date.parse(failedAt) >= FAILING_MS
      if (isLong || (error instanceof Later && error.isForPerson))
        await work.health.trouble(integration, partOf(name), reason)
      return error instanceof Later ? Math.max(error.ms, 1_000) : AGAIN_MS
    }
  }

  const noteReason = async (integration: Integration, name: string, reason: string | undefined) => {
    const reached = await loadReached(work, integration, name)
    await noteReached(work, integration, name, { ...reached, reason })
  }

  const full = async (integration: Integration, poll: Polled, at: string): Promise<number> => {
    const id = idOf(integration.key, poll.name)
    while (running.has(id)) await running.get(id)
    const file = files.get(integration.definition)!
    const going = pollOnce(work, { integration, file, poll, full: at, wait })
    const quietly = going.then(
      () => {},
      () => {},
    )
    running.set(id, quietly)
    try {
      const count = await going
      await noteReason(integration, poll.name, undefined)
      ended.set(id, clock.now())
      next.set(id, clock.now() + poll.every * 1_000)
      return count
    } finally {
      running.delete(id)
    }
  }

  return {
    full,
    times: (key, poll) => ({ last: ended.get(idOf(key, poll)), next: next.get(idOf(key, poll)) }),
    rule: {
      name: 'integration.poll',
      shape: JSON.stringify(
        [...files.values()].map(({ integration, poll }) => [integration, poll.map((one) => one.name)]),
      ),
      object: INTEGRATION,
      fields: ['State'],
      backfill: true,
      plan({ state: { fields, createdAt } }) {
        if (fields['State'] === 'off') return []
        const file = files.get(fields['Definition'] as string)
        return (file?.poll ?? []).map(({ name }) => ({
          occurrence: `poll|${name}`,
          due: Date.parse(createdAt),
        }))
      },
      async fire({ company, record: key, occurrence }) {
        const name = occurrence.slice(occurrence.indexOf('|') + 1)
        const id = idOf(key, name)
        if (!running.has(id) && (next.get(id) ?? 0) <= clock.now()) {
          const going = run(company, key, name)
            .catch((error: unknown) => {
              onTrouble(`${key} cannot poll ${name}`, error)
              return AGAIN_MS
            })
            .then((ms) => {
              if (ms !== LOOK_MS) ended.set(id, clock.now())
              next.set(id, clock.now() + ms)
            })
            .finally(() => running.delete(id))
          running.set(id, going)
        }
        return { again: clock.now() + LOOK_MS }
      },
    },
    async stop() {
      stopping.abort()
      await Promise.allSettled(running.values())
    },
  }
}
