/** Events of messages: what is due, and what became of it. A message is decided on by the version that was read. */
import { derivedKey } from '../../commands/support/identifiers.ts'
import { steps, type StepAt, type Steps } from '../../commands/steps.ts'
import type { Company } from '../../domain/events/event.ts'

export type MessageEvents = Steps
export type MessageAt = StepAt
export const messageEvents = steps

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
