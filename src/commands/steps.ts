/**
 * Steps of things that the service keeps by itself, such as messages and requests to other systems: each is an event, decided on
 * by the version that was read.
 */
import { SYSTEM, type Company } from '../domain/events/event.ts'
import type { Fields } from '../domain/json.ts'
import type { RecordState } from '../domain/records/record.ts'
import type { Clock } from '../ports/clock.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { Caller } from './command.ts'
import { appendIfFirst } from './support/append-if-first.ts'
import { eventId } from './support/identifiers.ts'
import { metadataOf } from './support/metadata.ts'
import type { RecordStates } from './support/record-states.ts'

export interface StepsOptions {
  readonly events: Pick<EventStore, 'append'>
  readonly states: Pick<RecordStates, 'load' | 'forget'>
  readonly clock: Pick<Clock, 'now'>
  readonly newCommand: () => string
}

export interface Steps {
  load(company: Company, key: string): Promise<RecordState>
  /** Stores what happened to the thing; false when another was faster. @throws Unavailable */
  add(thing: StepAt, type: string, data: Fields, by?: Partial<Caller>): Promise<boolean>
}

export interface StepAt {
  readonly company: Company
  readonly key: string
  /** The version that was decided on; 0: it is not there yet. */
  readonly version: number
}

export function steps({ events, states, clock, newCommand }: StepsOptions): Steps {
  return {
    load: (company, key) => states.load(company, key),
    async add({ company, key, version }, type, data, by = {}) {
      const command = newCommand()
      const caller = { company, actor: SYSTEM, correlation: command, command, source: 'system', ...by }
      const name = type.slice(type.indexOf('.') + 1)
      const event = {
        id: eventId(caller.command, key, 0),
        type,
        data,
        metadata: metadataOf(caller, { type, command: name, now: clock.now() }),
      }
      const append = { company, stream: key, expected: version, events: [event] }
      try {
        return (await appendIfFirst(events, append)) !== undefined
      } finally {
        states.forget(key)
      }
    },
  }
}
