/** What the thread that sends, and the main thread, ask of each other. */
import type { Company, Position } from '../../domain/events/event.ts'
import type { DeliveryLog, Resending } from '../../ports/delivery-log.ts'
import type { HintsStatus } from '../../ports/hints.ts'
import type { Endpoint } from '../../ports/outbox.ts'
import type { ProjectionStatus } from '../../ports/read-models.ts'
import type { SendAttempt, ToSend } from '../../ports/sending/send-attempt.ts'
import type { Target } from '../targets.ts'
import type { AskedOfTimers } from './timers.ts'

/** What the thread asks of the main thread. */
export interface AskedOfMain {
  visible(position: Position): Promise<boolean>
  openSecret(company: string, sealed: string): Promise<string>
  disable(endpoint: Endpoint, reason: string): Promise<void>
  mark(company: Company, endpoint: string, upTo: Position): Promise<void>
  /** Sends the thing of a stream to what is not a webhook, if it is still to be sent. */
  send(target: Target, company: Company, thing: ToSend): Promise<SendAttempt>
  trouble(message: string, detail: string): Promise<void>
}

/** What the main thread asks of that one. */
export interface AskedOfWebhooks extends DeliveryLog, Resending, AskedOfTimers {
  /** Resolves once the outbox is open: what happens from then on is sent, unless it says why it is held. */
  opened(): Promise<string | undefined>
  grown(): Promise<void>
  /** Reads show everything up to here. */
  shown(position: Position): Promise<void>
  hints(): Promise<HintsStatus>
  status(): Promise<readonly ProjectionStatus[]>
  resume(): Promise<void>
  stop(): Promise<void>
}

/** The main thread's end of the line to the thread. */
export interface LineToWebhooks {
  /** @throws what the thread threw; Unavailable when it is not running */
  call<Name extends keyof AskedOfWebhooks>(
    name: Name,
    ...values: Parameters<AskedOfWebhooks[Name]>
  ): Promise<Awaited<ReturnType<AskedOfWebhooks[Name]>>>
  /** Calls and wants no answer. */
  send<Name extends keyof AskedOfWebhooks>(name: Name, ...values: Parameters<AskedOfWebhooks[Name]>): void
  /** Why the thread is not running; undefined while it is. */
  failure(): string | undefined
}
