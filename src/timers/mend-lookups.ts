/**
 * What the role `scheduler` does: in time, it looks again at what processes cannot exclude between them when it happens
 * (`commands/support/mend-references.ts`). Only where several processes may write, that is with EVENTSTORE_URL.
 *
 * How far it has come is kept in the event store; several schedulers do the same work twice, without harm.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../ports/log.ts'
import { appendIfFirst } from '../commands/support/append-if-first.ts'
import { mendReferences, type MendReferencesOptions } from '../commands/support/mend-references.ts'
import { ownEvent } from '../commands/support/own-event.ts'
import { Unavailable } from '../domain/errors.ts'
import { SYSTEM, type Position, type RecordedEvent } from '../domain/events/event.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { ProjectionStore } from '../ports/projection-store.ts'
import { followEvents } from '../projections/follow.ts'

export interface MendLookupsOptions extends Omit<MendReferencesOptions, 'actor' | 'events' | 'onTrouble'> {
  readonly events: EventStore
  readonly log: Log
}

export interface MendingLookups {
  stop(): Promise<void>
}

const NAME = 'lookups'
const STREAM = 'mendedlookups'
/** So many events may be looked through again after a start. */
const MOST_AGAIN = 20_000

export async function mendLookups(options: MendLookupsOptions): Promise<MendingLookups> {
  const { events, log } = options
  const stopping = new AbortController()
  const onTrouble = (message: string, error: unknown) => log.error({ err: error }, message)
  const { concerns, wait, mend } = mendReferences({ ...options, actor: SYSTEM, onTrouble })
  const reached = reachedIn(options)
  let passed = 0

  const untilDue = async (event: RecordedEvent) => {
    const ms = wait(event)
    if (ms > 0) await delay(ms, undefined, { signal: stopping.signal }).catch(() => {})
    if (stopping.signal.aborted) throw new Unavailable('the process is stopping')
  }
  const store: ProjectionStore<RecordedEvent> = {
    position: reached.read,
    async apply(work, position) {
      const looked = work.flatMap(({ steps }) => steps.flatMap(({ operations }) => operations))
      const deletions = looked.filter(concerns)
      for (const event of deletions) {
        await untilDue(event)
        await mend(event)
      }
      passed += looked.length
      if (deletions.length === 0 && passed < MOST_AGAIN) return
      await reached.write(position)
      passed = 0
    },
    settled: async () => {},
    close: async () => {},
  }
  const follower = await followEvents({
    events,
    store,
    projections: [{ name: NAME, needs: [], project: (event: RecordedEvent) => [event] }],
    onStatus: () => {},
    onTrouble,
  })
  return {
    async stop() {
      const stopped = follower.stop()
      stopping.abort()
      await stopped
    },
  }
}

function reachedIn({ events, identifiers, clock }: MendLookupsOptions) {
  let version = 0
  const read = async (): Promise<Position> => {
    const last = await events.last(SYSTEM, STREAM)
    version = last?.version ?? 0
    return (last?.data['Position'] as number | undefined) ?? 0
  }
  return {
    read,
    /** Another scheduler may have been faster: then its position counts. */
    async write(position: Position) {
      const event = ownEvent({
        stream: STREAM,
        type: 'mendedlookups.reached',
        data: { Position: position },
        now: clock.now(),
        command: identifiers.newCommand(),
        name: NAME,
      })
      const append = { company: SYSTEM, stream: STREAM, expected: version, events: [event] }
      const appended = await appendIfFirst(events, append)
      if (appended) version = appended.version
      else await read()
    },
  }
}
