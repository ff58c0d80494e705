/**
 * Sending the past again: every event of the asked span that the endpoint's subscription covers now becomes a delivery of
 * its own, with the `webhook-id` that it always had. Done in steps that survive a restart, beside what is due: each replay
 * has its turn for a bounded time, companies one after the other.
 */
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { Definitions } from '../domain/definition.ts'
import { NotYet } from '../domain/errors.ts'
import { unpacked } from '../domain/events/packs.ts'
import { objectOfKey } from '../domain/records/key.ts'
import type { Replay } from '../ports/delivery-log.ts'
import type { EventBatch, EventStore } from '../ports/event-store.ts'
import type { EventRanges } from '../ports/journal.ts'
import type { Endpoint, OutboxChange, Relaying, Sending } from '../ports/outbox.ts'
import { messagesOf } from './messages.ts'
import { statesAsOf } from './states-as-of.ts'
import { wants } from './subscriptions.ts'

export interface ReplaysOptions {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read' | 'subscribe'>
  /** The journal, which has a company's events by themselves; without one the events of all companies are gone through. */
  readonly journal?: Pick<EventRanges, 'batches'> | undefined
  readonly outbox: Pick<Relaying, 'replays' | 'advance'> & Pick<Sending, 'endpoint'>
  readonly onFilled: (endpoints: readonly Endpoint[]) => void
  /** Aborted: the turn at hand ends. */
  readonly signal: AbortSignal
  /** How long the next events are waited for before the next replay has its turn. */
  readonly waitMs?: number
  /** Monotonic, in ms. */
  readonly elapsed?: () => number
}

type Open = Replay & { readonly position: number }

/** How long one replay goes on before the next has its turn. */
const TURN_MS = 500
const WAIT_MS = 2_000
/** Events that are read from the journal at once. */
const BATCH = 200

/** Gives one replay of each company its turn. Answers whether there is more to do at once. */
export async function workOffReplays(options: ReplaysOptions): Promise<boolean> {
  const ofCompanies = new Map<string, Open>()
  for (const replay of await options.outbox.replays())
    if (!ofCompanies.has(replay.company) && (await isPossible(options, replay)))
      ofCompanies.set(replay.company, replay)
  let isMore = false
  for (const replay of ofCompanies.values()) {
    if (options.signal.aborted) return false
    try {
      if (await workOff(options, replay)) isMore = true
    } catch (error) {
      // The journal is still being written as far; there is time.
      if (!(error instanceof NotYet)) throw error
    }
  }
  return isMore
}

/** One to an endpoint that is switched off waits until it is on again. */
async function isPossible({ outbox }: ReplaysOptions, replay: Open): Promise<boolean> {
  const endpoint = await outbox.endpoint(replay.endpoint)
  if (!endpoint || replay.position >= replay.until) {
    await outbox.advance(replay.id, [], replay.until, true)
    return false
  }
  return endpoint.active && endpoint.heldFrom === undefined
}

/** Answers whether it came further. */
async function workOff(options: ReplaysOptions, replay: Open): Promise<boolean> {
  const { definitions, events, outbox, onFilled } = options
  const { elapsed = () => performance.now() } = options
  const states = statesAsOf(events)
  const messageFor = messagesOf({ definitions, states })
  const end = elapsed() + TURN_MS
  let isFurther = false
  for await (const { events: batch, position } of eventsOf(options, replay)) {
    const endpoint = await outbox.endpoint(replay.endpoint)
    if (!endpoint?.active) break
    const changes: OutboxChange[] = []
    for (const event of batch.flatMap(unpacked)) {
      if (event.position > replay.until) break
      states.pass(event)
      const definition = definitions.get(objectOfKey(event.stream) ?? '')
      if (!definition || event.metadata.company !== replay.company) continue
      if (!isWithin(replay, event.metadata.recordedAt) || !wants(endpoint, event.type)) continue
      const { send, unreadable } = await messageFor(event, definition, [endpoint], replay.id)
      // It goes on once the filter fits the definitions again.
      if (unreadable.length > 0) return isFurther
      if (send) changes.push(send)
    }
    const isDone = position >= replay.until
    await outbox.advance(replay.id, changes, Math.min(position, replay.until), isDone)
    if (changes.length > 0) onFilled([endpoint])
    // What is due is sent meanwhile, however long the past is.
    await turn()
    isFurther = true
    if (isDone || elapsed() > end) break
  }
  return isFurther
}

/** What is to be replayed, in order; the last batch ends where the replay does. */
function eventsOf(
  { definitions, journal, events, signal, waitMs = WAIT_MS }: ReplaysOptions,
  replay: Open,
): AsyncIterable<EventBatch> {
  if (journal) return journaledOf(journal, definitions, replay)
  return unlessSilent(events.subscribe(replay.position), waitMs, signal)
}

async function* journaledOf(
  journal: Pick<EventRanges, 'batches'>,
  definitions: Definitions,
  { company, position: after, until: upTo }: Open,
): AsyncIterable<EventBatch> {
  // Those that messages look up as well: what is remembered of them has to be kept in step.
  const targets = [...definitions.values()].flatMap(({ fields }) =>
    fields.flatMap(({ target }) => (target === undefined ? [] : [target])),
  )
  const objects = [...new Set([...definitions.keys(), ...targets])]
  for await (const batch of journal.batches({ company, objects, after, upTo }, BATCH))
    yield { events: batch, position: batch.at(-1)!.position }
  yield { events: [], position: upTo }
}

/** Ends after `waitMs` in which nothing comes, and when it is aborted: a subscription waits for ever by itself. */
async function* unlessSilent<T>(
  from: AsyncIterable<T>,
  waitMs: number,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const all = from[Symbol.asyncIterator]()
  try {
    for (;;) {
      const rest = new AbortController()
      const either = AbortSignal.any([signal, rest.signal])
      const silence = delay(waitMs, undefined, { signal: either }).catch(() => undefined)
      const next = await Promise.race([all.next(), silence])
      rest.abort()
      if (!next || next.done || signal.aborted) return
      yield next.value
    }
  } finally {
    // Not waited for: it may itself be waiting for an event that never comes.
    void all.return?.()
  }
}

function isWithin({ from, to }: Replay, at: string): boolean {
  const moment = Date.parse(at)
  return (from === undefined || moment >= Date.parse(from)) && (to === undefined || moment < Date.parse(to))
}
