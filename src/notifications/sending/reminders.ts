/** Triggers that a date fires, as rules of timers. What is found too late is not sent, but recorded as skipped. */
import type { Definitions } from '../../domain/definition.ts'
import { occurrencesOf } from '../../domain/time/date-rule.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { TimerRule } from '../../timers/rule.ts'
import type { Triggers } from '../triggers.ts'
import type { Cause } from './write-messages.ts'

export interface RemindersOptions {
  readonly triggers: Triggers
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'head'>
  readonly clock: Pick<Clock, 'now'>
  readonly write: (cause: Cause) => Promise<void>
  /** How late a reminder may be sent where its trigger does not say, in days. */
  readonly catchUpDays: number
}

const DAY_MS = 86_400_000

export function reminders({
  triggers,
  definitions,
  events,
  clock,
  write,
  catchUpDays,
}: RemindersOptions): TimerRule[] {
  return [...triggers.values()].flatMap((trigger): TimerRule[] => {
    const { on, object } = trigger
    const definition = definitions.get(object)
    if (!('date' in on) || !definition) return []
    const days = trigger.catchUpDays ?? catchUpDays
    return [
      {
        name: `notify.${trigger.trigger}`,
        shape: JSON.stringify(on),
        object,
        backfill: trigger.backfill === true,
        fields: [on.date, ...definition.fields.map(({ name }) => name)],
        plan({ state, zone }) {
          // What was long past when the record came to say so was never due.
          const oldest = Date.parse(state.modifiedAt) - days * DAY_MS
          return occurrencesOf(on, state.fields, zone).filter(({ due }) => due >= oldest)
        },
        async fire({ company, record, occurrence, due }, { state }) {
          const late = Math.floor((clock.now() - due) / DAY_MS)
          const [, date = '', offset = '0'] = occurrence.split('|')
          await write({
            company,
            trigger,
            definition,
            key: record,
            state,
            occurrence,
            at: Date.parse(date) + Number(offset) * DAY_MS,
            since: due,
            position: await events.head(),
            causation: `${trigger.trigger}/${occurrence}`,
            skipped:
              late > days ? `it was due ${late} days before: at most ${days} are made up for` : undefined,
          })
        },
      },
    ]
  })
}
