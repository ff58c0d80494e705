/** Events of messages: what is due, and what became of it. A message is decided on by the version that was read. */
import type { Caller } from '../../commands/command.ts'
import { appendIfFirst } from '../../commands/support/append-if-first.ts'
import { derivedKey, eventId } from '../../commands/support/identifiers.ts'
import { metadataOf } from '../../commands/support/metadata.ts'
import type { RecordStates } from '../../commands/support/record-states.ts'
import { SYSTEM, type Company } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'

export interface MessageEventsOptions {
  readonly events: Pick<EventStore, 'append' | 'read'>
  readonly states: Pick<RecordStates, 'load' | 'forget'>
  readonly clock: Pick<Clock, 'now'>
  readonly newCommand: () => string
}

export interface MessageEvents {
  load(company: Company, key: string): Promise<RecordState>
  /** Stores what happened to the message; false when another was faster. @throws Unavailable */
  add(message: MessageAt, type: string, data: Fields, by?: Partial<Caller>): Promise<boolean>
}

export interface MessageAt {
  readonly company: Company
  readonly key: string
  /** The version that was decided on; 0: it is not there yet. */
  readonly version: number
}

/** What makes a message one and no other. */
export interface MessageName {
  readonly company: Company
  readonly trigger: string
  readonly record: string
  readonly occurrence: string
  readonly recipient: string
  /** Of the occurrence, in ms since 1970: the same whenever it is worked out. */
  readonly at: number
}

/** The Key of the message: who works it out again comes to the same, so there is one. */
export function messageKey({ company, trigger, record, occurrence, recipient, at }: MessageName): string {
  return derivedKey('notification', JSON.stringify([company, trigger, record, occurrence, recipient]), at)
}

export function messageEvents({ events, states, clock, newCommand }: MessageEventsOptions): MessageEvents {
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
