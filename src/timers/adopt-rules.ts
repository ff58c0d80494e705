/**
 * From when on each rule counts: a rule that is new today does nothing about what was due yesterday. That a rule is new is
 * an event, so that it holds for every process, and for a store of timers that was lost.
 */
import { appendIfFirst } from '../commands/support/append-if-first.ts'
import { derivedId } from '../commands/support/identifiers.ts'
import { ownEvent } from '../commands/support/own-event.ts'
import { SYSTEM } from '../domain/events/event.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Timers } from '../ports/timers.ts'
import { timersOf, type TimerRule } from './rule.ts'

export interface AdoptRulesOptions {
  readonly events: Pick<EventStore, 'read' | 'append'>
  readonly timers: Pick<Timers, 'store'>
  readonly clock: Pick<Clock, 'now'>
}

/** A rule that counts since a moment, in ms since 1970. */
export interface Adopted {
  readonly rule: TimerRule
  /** The name of its timers. */
  readonly timers: string
  readonly since: number
}

const STREAM = 'timer'
/** What was due before a rule was changed, and not looked at because the service stood still, is due by the new one. */
const STANDSTILL_MS = 7 * 86_400_000

/** Adopts the rules that are new or changed, and drops timers of others. @throws Unavailable; it may be done again */
export async function adoptRules(
  rules: readonly TimerRule[],
  { events, timers, clock }: AdoptRulesOptions,
): Promise<readonly Adopted[]> {
  for (;;) {
    const { known, version } = await adoptedSoFar(events)
    const fresh = rules.filter((rule) => known.get(rule.name)?.timers !== timersOf(rule))
    const gone = [...known.keys()].filter((name) => !rules.some((rule) => rule.name === name))
    const now = clock.now()
    const changes = [
      ...fresh.map((rule) => {
        const since = known.has(rule.name) ? now - STANDSTILL_MS : now
        return { Rule: rule.name, Timers: timersOf(rule), Since: new Date(since).toISOString() }
      }),
      ...gone.map((name) => ({ Rule: name, Timers: null, Since: null })),
    ]
    if (changes.length === 0)
      return rules.map((rule) => ({ rule, timers: timersOf(rule), since: known.get(rule.name)!.since }))
    const data = { Rules: changes }
    const command = derivedId(`${STREAM}/${version + 1}/${JSON.stringify(changes)}`)
    const event = ownEvent({ stream: STREAM, type: 'timer.adopted', data, now, command, name: 'adopt' })
    const append = { company: SYSTEM, stream: STREAM, expected: version, events: [event] }
    // Where another process was faster, its rules are looked at.
    if (await appendIfFirst(events, append))
      await timers.store(
        changes.flatMap(({ Rule }) => {
          const before = known.get(Rule)
          return before ? [{ op: 'drop', rule: before.timers } as const] : []
        }),
      )
  }
}

interface Change {
  readonly Rule: string
  readonly Timers: string | null
  readonly Since: string | null
}

async function adoptedSoFar(events: Pick<EventStore, 'read'>) {
  const known = new Map<string, { readonly timers: string; readonly since: number }>()
  let version = 0
  for (const event of await events.read(SYSTEM, STREAM)) {
    version = event.version
    for (const { Rule, Timers, Since } of event.data['Rules'] as unknown as readonly Change[])
      if (Timers === null || Since === null) known.delete(Rule)
      else known.set(Rule, { timers: Timers, since: Date.parse(Since) })
  }
  return { known, version }
}
