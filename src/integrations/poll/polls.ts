/**
 * Polls in their time. A timer looks at each of an integration that is on, about twice a minute; a poll that is due then goes on
 * beside the timers, one of each at a time in a process. A process that has started runs each with the first look at it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Company } from '../../domain/events/event.ts'
import type { TimerRule } from '../../timers/rule.ts'
import type { Integration } from '../integration.ts'
import { INTEGRATION } from '../objects.ts'
import type { IntegrationWork } from '../work.ts'
import type { Polled } from '../definition/poll-schema.ts'
import { pollOnce } from './poll-once.ts'
import { AGAIN_MS, LOOK_MS } from '../calls/later.ts'
import { attemptPoll, noteReason } from './attempt-poll.ts'

export interface Polls {
  readonly rule: TimerRule
  /** Runs the poll at once, or once more as soon as the one that is under way has ended. */
  soon(integration: Pick<Integration, 'company' | 'key'>, poll: string): void
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

  const attempting = { work, wait, isStopping: () => stopping.signal.aborted, onTrouble }

  /** Those that are to run once more. */
  const again = new Set<string>()
  const start = (company: Company, key: string, name: string): void => {
    if (stopping.signal.aborted) return
    const id = idOf(key, name)
    const going = attemptPoll(attempting, company, key, name)
      .catch((error: unknown) => {
        onTrouble(`${key} cannot poll ${name}`, error)
        return AGAIN_MS
      })
      .then((ms) => {
        if (ms === undefined) return
        ended.set(id, clock.now())
        next.set(id, clock.now() + ms)
      })
      .finally(() => {
        running.delete(id)
        if (again.delete(id)) start(company, key, name)
      })
    running.set(id, going)
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
      await noteReason(work, integration, poll.name, undefined)
      ended.set(id, clock.now())
      next.set(id, clock.now() + poll.every * 1_000)
      return count
    } finally {
      running.delete(id)
      if (again.delete(id)) start(integration.company, integration.key, poll.name)
    }
  }

  return {
    full,
    soon({ company, key }, name) {
      const id = idOf(key, name)
      if (running.has(id)) again.add(id)
      else start(company, key, name)
    },
    times: (key, poll) => ({ last: ended.get(idOf(key, poll)), next: next.get(idOf(key, poll)) }),
    rule: pollRule(work, (company, key, name) => {
      const id = idOf(key, name)
      if (!running.has(id) && (next.get(id) ?? 0) <= clock.now()) start(company, key, name)
    }),
    async stop() {
      stopping.abort()
      await Promise.allSettled(running.values())
    },
  }
}

/** @param look is called about twice a minute for each poll of an integration that is on */
function pollRule(
  { files, clock }: Pick<IntegrationWork, 'files' | 'clock'>,
  look: (company: Company, key: string, name: string) => void,
): TimerRule {
  return {
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
      look(company, key, occurrence.slice(occurrence.indexOf('|') + 1))
      return { again: clock.now() + LOOK_MS }
    },
  }
}
