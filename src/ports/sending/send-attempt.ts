/** What the outbox asks of those that send what is not a webhook: mails, requests to other systems. */
import type { Company } from '../../domain/events/event.ts'

/** What came of one attempt. */
export interface SendAttempt {
  /** It needs no other attempt: it was sent, or it never will be. */
  readonly isOver: boolean
  readonly isSent: boolean
  /** In a few words for people: the reply, or the reason. */
  readonly detail: string
  /** Nothing was tried, because it is not its turn: it does not count as an attempt. */
  readonly isHeld?: boolean
  /** How long it should at least be waited, in ms. */
  readonly againInMs?: number
  /** Where it went, where that is not the same for all: without what is secret in it. */
  readonly url?: string
  /** HTTP status of the reply. */
  readonly status?: number
}

/** It needs no other attempt. */
export const attemptOver = (detail: string, isSent = false): SendAttempt => ({ isOver: true, isSent, detail })

/** Nothing is tried for so many ms. */
export const attemptHeld = (detail: string, againInMs: number): SendAttempt => ({
  isOver: false,
  isSent: false,
  isHeld: true,
  detail,
  againInMs,
})

/** Something that is to be sent. */
export interface ToSend {
  /** The stream that says what it is, and what became of it. */
  readonly stream: string
  /** It is not tried again by itself: where it fails now, the stream has to say that it has failed. */
  readonly isLast: boolean
}

/** Makes one attempt, if the thing still has to be sent. @throws Unavailable when it is to be asked again soon */
export type Send = (company: Company, thing: ToSend) => Promise<SendAttempt>
