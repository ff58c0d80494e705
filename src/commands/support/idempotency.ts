/**
 * `Idempotency-Key`: a request that is sent again is answered as the first time, also after a restart and by another
 * process, because what was asked and what was answered are events in a stream named by the key.
 *
 * The request is recorded before anything is done, and everything done derives its ids from it. So a request that was
 * cut off between doing and answering is simply run again: what it had stored is recognised.
 */
import { createHash, randomUUID } from 'node:crypto'
import { Conflict } from '../../domain/errors.ts'
import type { EventMetadata } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import { SCHEMA } from '../../domain/events/upcast.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { appendIfFirst } from './append-if-first.ts'
import type { Caller } from '../command.ts'
import { derivedId, eventId } from './identifiers.ts'
import { keyedLocks } from './keyed-locks.ts'

/** An answer as it can be given again. */
export interface RecordedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /**
   * A part of it could not be done, or nobody knows whether it was: not what the request comes to. Sent again, the request
   * is run again, and does what is left.
   */
  readonly unfinished?: boolean
}

export interface Idempotency {
  /**
   * Answers as recorded, or runs the request and records its answer. Only answers below 300 that are finished are
   * recorded: a request that failed did nothing and may be sent again.
   * @throws Conflict when the key was used for another request
   */
  once(
    request: RepeatableRequest,
    run: (caller: Caller) => Promise<RecordedAnswer>,
  ): Promise<RecordedAnswer & { readonly repeated: boolean }>
}

export interface RepeatableRequest {
  readonly caller: Caller
  readonly idempotencyKey: string
  /** Hash of everything that makes it this request: method, path, body. */
  readonly fingerprint: string
}

/** The longest answer that is kept, in bytes of the event that keeps it. A request with a longer one is run again instead. */
const MAX_ANSWER = 1_000_000

export function idempotency({
  events,
  now,
}: {
  events: Pick<EventStore, 'append' | 'read'>
  now: () => number
}): Idempotency {
  const locks = keyedLocks()

  const received = async (
    stream: string,
    { caller, fingerprint }: RepeatableRequest,
    metadata: EventMetadata,
  ) => {
    const event = {
      id: eventId(caller.command, stream, 0),
      type: 'request.received',
      data: { Fingerprint: fingerprint },
      metadata,
    }
    const { company } = caller
    const isNew = await appendIfFirst(events, { company, stream, expected: 0, events: [event] })
    return isNew ? undefined : events.read(company, stream)
  }

  const once: Idempotency['once'] = async (request, run) => {
    const { caller, idempotencyKey, fingerprint } = request
    const name = createHash('sha256')
      .update(JSON.stringify([caller.company, caller.actor, idempotencyKey]))
      .digest('hex')
    const stream = `request-${name.slice(0, 40)}`
    const command = derivedId(name)
    const metadata: EventMetadata = {
      company: caller.company,
      actor: caller.actor,
      at: new Date(now()).toISOString(),
      correlation: caller.correlation,
      command: 'request',
      idempotencyKey,
      schema: SCHEMA,
    }
    const earlier = await received(stream, { ...request, caller: { ...caller, command } }, metadata)
    // A repeat of the very same append is no conflict: then the first event is read as any other.
    const [first, second] = earlier ?? (await events.read(caller.company, stream))
    if (first && first.data['Fingerprint'] !== fingerprint) {
      const message = 'was used for another request'
      throw new Conflict(`this Idempotency-Key ${message}`, [{ Field: 'Idempotency-Key', Message: message }])
    }
    if (second) return { ...(second.data as unknown as RecordedAnswer), repeated: true }
    const firstReceived = Date.parse(first?.metadata.at ?? metadata.at)
    const answer = await run({ ...caller, command, idempotencyKey, repeatedFrom: firstReceived })
    if (
      answer.status < 300 &&
      !answer.unfinished &&
      Buffer.byteLength(JSON.stringify(answer)) <= MAX_ANSWER
    ) {
      // Not a derived id: of two processes that answer, only the one that records its answer first may give it.
      const event = {
        id: randomUUID(),
        type: 'request.answered',
        data: answer as unknown as Fields,
        metadata,
      }
      const { company } = caller
      const isFirst = await appendIfFirst(events, { company, stream, expected: 1, events: [event] })
      const [recorded] = isFirst ? [] : await events.read(company, stream, 1)
      if (recorded) return { ...(recorded.data as unknown as RecordedAnswer), repeated: true }
    }
    return { ...answer, repeated: false }
  }

  return {
    once: (request, run) =>
      locks.holding(
        [
          {
            key: JSON.stringify([request.caller.company, request.caller.actor, request.idempotencyKey]),
            shared: false,
          },
        ],
        () => once(request, run),
      ),
  }
}
