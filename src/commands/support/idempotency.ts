/**
 * `Idempotency-Key`: a request that is sent again is answered as the first time, also after a restart and by another
 * process, because what was asked and what was answered are events in a stream named by the key.
 *
 * The request is recorded before anything is done, and everything done derives its ids from it. So a request that was
 * cut off between doing and answering is simply run again: what it had stored is recognised, whenever that is. A request
 * that was refused did nothing: its receipt no longer holds, and the key may be used for a corrected one.
 */
import { createHash, randomUUID } from 'node:crypto'
import {
  Conflict,
  Forbidden,
  Invalid,
  NotFound,
  PreconditionFailed,
  TooLarge,
  Unavailable,
} from '../../domain/errors.ts'
import type { Company, NewEvent, RecordedEvent } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { appendIfFirst } from './append-if-first.ts'
import type { Caller } from '../command.ts'
import { derivedId } from './identifiers.ts'
import { keyedLocks } from './keyed-locks.ts'
import { metadataOf } from './metadata.ts'

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
  /** Nothing was to be done, so no event says what was answered: it is given only once it is recorded. */
  readonly changedNothing?: boolean
}

export interface Idempotency {
  /**
   * Answers as recorded, or runs the request and records its answer. Only answers below 300 that are finished are
   * recorded: a request that failed did nothing and may be sent again. Answers are given again for 24 hours.
   * @throws Conflict when the key was used for another request, or answered one more than 24 hours ago
   */
  once(
    request: RepeatableRequest,
    run: (caller: Caller) => Promise<RecordedAnswer>,
  ): Promise<RecordedAnswer & { readonly repeated: boolean }>
}

export interface RepeatableRequest {
  readonly caller: Caller
  readonly idempotencyKey: string
  /** Hash of everything that makes it this request: method, path, conditions, body. Never stored in clear. */
  readonly fingerprint: string
}

/** The longest answer that is kept, in bytes of the event that keeps it. A request with a longer one is run again instead. */
const MAX_ANSWER = 700_000
/** How long an answer is given again. */
const ANSWERS_MS = 24 * 3_600_000

/** Once so many events were stored of a key, the request that it stands for is refused without another: the key is not freed. */
const MOST_RECEIPTS = 20

const RECEIVED = 'request.received'
const REFUSED = 'request.refused'
const ANSWERED = 'request.answered'

export interface IdempotencyOptions {
  readonly events: Pick<EventStore, 'append' | 'read'>
  /** Milliseconds since 1970, by the clock that events are recorded by. */
  readonly now: () => number
  /** Encrypts bodies of answers by keys that are destroyed when answers are not given again any more. */
  readonly answers: AnswerSeal
}

export interface AnswerSeal {
  /** Hex digits that stand for the text, and that nobody can compute without a key of the company. */
  nameOf(company: Company, text: string): Promise<string>
  seal(company: Company, text: string, owner: string): Promise<string>
  /** Undefined when the key has been destroyed. */
  open(company: Company, sealed: string, owner: string): Promise<string | undefined>
}

/** An answer as it is stored: who has the store does not have what was answered. */
type StoredAnswer = {
  readonly Status: number
  readonly Headers: Readonly<Record<string, string>>
  /** The body, sealed; of events of the first shape `Body`, in clear. */
  readonly Sealed?: string
  readonly Body?: string
}

export function idempotency(options: IdempotencyOptions): Idempotency {
  const locks = keyedLocks()
  const nameOf = ({ caller: { company, actor }, idempotencyKey }: RepeatableRequest) =>
    JSON.stringify([company, actor, idempotencyKey])

  const once: Idempotency['once'] = async (request, run) => {
    const keyed = keyedRequest(options, request, {
      name: nameOf(request),
      fingerprint: await storedFingerprint(options, request),
    })
    const { first, answered } = await keyed.receive()
    if (answered) return { ...answered, repeated: true }
    const { command } = keyed
    let answer: RecordedAnswer
    try {
      answer = await run({ ...request.caller, command, repeatedFrom: first })
    } catch (error) {
      if (isRefusal(error)) await keyed.refuse()
      throw error
    }
    const isKept =
      answer.status < 300 && !answer.unfinished && Buffer.byteLength(JSON.stringify(answer)) <= MAX_ANSWER
    const earlier = isKept ? await keyed.answer(answer).catch(unlessNotKept(answer)) : undefined
    return earlier ? { ...earlier, repeated: true } : { ...answer, repeated: false }
  }

  return {
    once: (request, run) =>
      locks.holding([{ key: nameOf(request), shared: false }], () => once(request, run)),
  }
}

/** A plain hash would let who has the events try values against it. */
function storedFingerprint(
  { answers }: IdempotencyOptions,
  { caller, fingerprint }: RepeatableRequest,
): Promise<string> {
  return answers.nameOf(caller.company, `request/${fingerprint}`)
}

/** What has been stored of a request so far. */
interface Receipt {
  readonly version: number
  /** When it was first received, in ms. */
  readonly first: number
  /** Of the request that the key stands for now; undefined when the last one was refused. */
  readonly fingerprint: unknown
  readonly answered?: RecordedEvent
}

function receiptOf(stored: readonly RecordedEvent[]): Receipt | undefined {
  const [first] = stored
  const last = stored.at(-1)
  if (!first || !last) return undefined
  const received = stored.findLast(({ type }) => type === RECEIVED)
  return {
    version: last.version,
    first: Date.parse(first.metadata.recordedAt),
    fingerprint: last.type === REFUSED ? undefined : received?.data['Fingerprint'],
    ...(last.type === ANSWERED && { answered: last }),
  }
}

/** The stream of one key, as one run of the request writes it. */
function keyedRequest(
  { events, now, answers }: IdempotencyOptions,
  { caller, fingerprint: plain }: RepeatableRequest,
  { name, fingerprint }: { readonly name: string; readonly fingerprint: string },
) {
  const { company } = caller
  /** Receipts of the first versions have the plain hash. */
  const isSame = (stored: unknown) => stored === fingerprint || stored === plain
  const digest = createHash('sha256').update(name).digest('hex')
  const stream = `request-${digest.slice(0, 40)}`
  const command = derivedId(digest)
  const event = (id: string, type: string, data: Fields): NewEvent => ({
    id,
    type,
    data,
    metadata: metadataOf(caller, { type, command: 'request', now: now() }),
  })
  const add = (expected: number, one: NewEvent) =>
    appendIfFirst(events, { company, stream, expected, events: [one] })
  const givenBefore = (answered: RecordedEvent) => answerIn(answered, { company, stream, now, answers })
  /** The version of the stream, as far as this run knows. */
  let reached = 0
  /** No earlier run of the request can have stored anything. */
  let isFirstRun = false
  const stored = async () => receiptOf(await events.read(company, stream))

  return {
    command,
    /** Records that the request came, unless it did before. `first`: when it first came, in ms. */
    async receive(): Promise<{ readonly first: number; readonly answered?: RecordedAnswer }> {
      let earlier: Receipt | undefined
      for (;;) {
        const version = earlier?.version ?? 0
        // Not a derived id: whether this run recorded it decides what a refusal means.
        const received = event(randomUUID(), RECEIVED, { Fingerprint: fingerprint })
        isFirstRun = (await add(version, received)) !== undefined
        earlier = (await stored())!
        if (earlier.fingerprint !== undefined) break
      }
      if (!isSame(earlier.fingerprint)) throw usedBefore('was used for another request')
      reached = earlier.version
      if (!earlier.answered) return { first: earlier.first }
      return { first: earlier.first, answered: await givenBefore(earlier.answered) }
    },
    /**
     * The request did nothing: from now on the key stands for no request. Not where it came before, for that run may have done
     * what this one was refused; and not stored where the store is away.
     */
    async refuse(): Promise<void> {
      if (!isFirstRun) return
      const earlier = await stored().catch(() => undefined)
      if (!earlier || earlier.answered || !isSame(earlier.fingerprint)) return
      // Its stream is read whole: one that is refused again and again stays as it is.
      if (earlier.version >= MOST_RECEIPTS) return
      await add(earlier.version, event(randomUUID(), REFUSED, {})).catch(() => {})
    },
    /** Records the answer, or answers what another run of the same request has recorded before. */
    async answer({ status, headers, body }: RecordedAnswer): Promise<RecordedAnswer | undefined> {
      const Sealed = await answers.seal(company, body, stream)
      const kept: StoredAnswer = { Status: status, Headers: headers, Sealed }
      for (;;) {
        // Not a derived id: of two processes that answer, only the one that records its answer first may give it.
        const answered = event(randomUUID(), ANSWERED, kept)
        if (await add(reached, answered)) return undefined
        const earlier = (await stored())!
        if (earlier.answered) return givenBefore(earlier.answered)
        // Another process was refused meanwhile, and the key went to another request.
        if (earlier.fingerprint !== undefined && !isSame(earlier.fingerprint)) return undefined
        reached = earlier.version
      }
    },
  }
}

/**
 * The answer that the event keeps.
 * @throws Conflict when it is not given again any more
 */
async function answerIn(
  { data, metadata }: RecordedEvent,
  {
    company,
    stream,
    now,
    answers,
  }: Omit<IdempotencyOptions, 'events'> & { readonly company: Company; readonly stream: string },
): Promise<RecordedAnswer> {
  const { Status: status, Headers: headers, Sealed, Body } = data as unknown as StoredAnswer
  const isOver = now() - Date.parse(metadata.recordedAt) >= ANSWERS_MS
  const body = isOver ? undefined : Sealed === undefined ? Body : await answers.open(company, Sealed, stream)
  if (body !== undefined) return { status, headers, body }
  throw usedBefore(`was used before${whatItDid(headers)}; send a new request with a new key`)
}

/**
 * A server may take less than it should, and keys or store may be away by now. What was done is done all the same, and is found
 * when the request comes again; where nothing was, a later run may come to something else.
 */
const unlessNotKept =
  ({ changedNothing }: RecordedAnswer) =>
  (error: unknown): undefined => {
    if (error instanceof TooLarge || (error instanceof Unavailable && !changedNothing)) return
    throw error
  }

/** Whether the request was refused for what it asks, so that nothing of it was stored. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof Invalid ||
    error instanceof Forbidden ||
    error instanceof NotFound ||
    error instanceof Conflict ||
    error instanceof PreconditionFailed
  )
}

function usedBefore(message: string): Conflict {
  return new Conflict(`The Idempotency-Key ${message}.`, [{ Field: 'Idempotency-Key', Message: message }])
}

/** The record and version that an answer led to, as far as it says. */
function whatItDid(headers: RecordedAnswer['headers']): string {
  const key = headers['Location']?.split('/').at(-1)
  const version = headers['ETag']?.replaceAll('"', '')
  return `${key === undefined ? '' : ` for ${key}`}${version === undefined ? '' : ` (version ${version})`}`
}
