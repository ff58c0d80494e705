/** Workflow actions that a date takes: rules from the definitions (docs/workflow.md#actions-that-a-date-takes). */
import { derivedId } from '../commands/support/identifiers.ts'
import type { WriteRecords } from '../commands/write-records.ts'
import type { Definitions, ObjectDefinition, Transition } from '../domain/definition.ts'
import { Conflict, Forbidden, NotFound } from '../domain/errors.ts'
import { SYSTEM } from '../domain/events/event.ts'
import { occurrencesOf, type DateRule } from '../domain/time/date-rule.ts'
import type { TimerRule } from './rule.ts'

export interface DueActionsOptions {
  readonly definitions: Definitions
  readonly write: Pick<WriteRecords, 'act'>
}

export function dueActions({ definitions, write }: DueActionsOptions): TimerRule[] {
  return [...definitions.values()].flatMap((definition) =>
    (definition.workflow?.transitions ?? []).flatMap((transition) =>
      transition.due ? [dueAction(definition, transition, transition.due, write)] : [],
    ),
  )
}

function dueAction(
  definition: ObjectDefinition,
  { action, from, roles = [] }: Transition,
  due: DateRule,
  write: Pick<WriteRecords, 'act'>,
): TimerRule {
  const { object } = definition
  const status = definition.workflow?.field ?? ''
  const name = `${object}.${action}`
  return {
    name,
    shape: JSON.stringify([due, from]),
    object,
    fields: [due.date, status],
    plan({ state: { fields }, zone }) {
      return from.some((one) => one === fields[status]) ? occurrencesOf(due, fields, zone) : []
    },
    async fire({ company, record, occurrence }, { state: { fields } }) {
      const id = derivedId(`timer/${company}/${name}/${record}/${occurrence}`)
      const caller = {
        company,
        actor: SYSTEM,
        correlation: id,
        command: id,
        causation: `${name}/${occurrence}`,
        source: `timer:${name}`,
      }
      const comment = `${due.date} was ${fields[due.date] as string}`
      try {
        await write.act(caller, { definition, key: record, action, roles, comment })
      } catch (error) {
        // Someone was faster, or the record is not one whose state this changes: an event of it plans again.
        if (error instanceof Conflict || error instanceof NotFound || error instanceof Forbidden) return
        throw error
      }
    },
  }
}
