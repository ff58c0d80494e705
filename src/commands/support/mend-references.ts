/**
 * Brings back what was deleted at the moment in which another process made a record look it up.
 *
 * Within a process the two exclude each other (`keyed-locks.ts`). Between processes neither can see the other's append
 * before its own: the store promises exactness for one stream, not for two. So some time after each deletion, when no
 * command can be under way any more that began before it, it is looked at again: what others look up is restored, with
 * them as the reason. It may be done twice, by several processes, and after a crash.
 */
import type { Definitions } from '../../domain/definition.ts'
import { lookupsTo } from '../../domain/definition.ts'
import { Conflict, Invalid, NotFound, Unavailable } from '../../domain/errors.ts'
import type { RecordedEvent } from '../../domain/events/event.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { Identifiers } from './identifiers.ts'
import type { RecordStates } from './record-states.ts'
import { checkNoReferrers } from './references.ts'
import { LONGEST_COMMAND_MS } from './unique-claims.ts'
import type { WriteRecords } from '../write-records.ts'

export interface MendReferencesOptions {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'head'>
  readonly readModels: ReadModels
  readonly states: Pick<RecordStates, 'load'>
  readonly write: Pick<WriteRecords, 'restore'>
  readonly identifiers: Pick<Identifiers, 'newCommand'>
  readonly clock: Clock
  /** The actor of what the service does by itself. */
  readonly actor: string
  /** How long the read models are waited for, in ms. */
  readonly readLagMs: number
  readonly onTrouble: (message: string, error: unknown) => void
}

export interface MendReferences {
  /** Whether the event is a deletion that has to be looked at again. */
  concerns(event: RecordedEvent): boolean
  /** How long to wait before that, in ms; never longer than a command takes, whatever clock stamped the event. */
  wait(event: RecordedEvent): number
  /**
   * Looks at it, once it is due. What cannot be brought back is reported, and left.
   * @throws Unavailable when it has to be tried again
   */
  mend(event: RecordedEvent): Promise<void>
}

export function mendReferences(options: MendReferencesOptions): MendReferences {
  const { definitions, events, readModels, states, write, identifiers, actor, readLagMs, onTrouble } = options
  const definitionOf = ({ stream }: RecordedEvent) => definitions.get(objectOfKey(stream) ?? '')

  return {
    concerns(event) {
      const definition = definitionOf(event)
      if (!definition || event.type !== `${definition.object}.deleted`) return false
      return lookupsTo(definitions, definition.object).length > 0
    },
    wait({ metadata }) {
      const due = Date.parse(metadata.recordedAt) + LONGEST_COMMAND_MS
      return Math.min(Math.max(due - options.clock.now(), 0), LONGEST_COMMAND_MS)
    },
    async mend(event) {
      const { stream: key, metadata, version } = event
      const { company } = metadata
      const definition = definitionOf(event)!
      const state = await states.load(company, key)
      if (state.status !== 'deleted' || state.version !== version) return
      if (!(await readModels.reached(await events.head(), readLagMs)))
        throw new Unavailable(
          'the read models lag too far behind to find the records that look up a deleted one',
        )
      const command = identifiers.newCommand()
      const caller = { company, actor, correlation: command, command }
      const lookedUp = await checkNoReferrers(options, caller, definition, key).then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof Conflict) return error
          throw error
        },
      )
      if (!lookedUp) return
      const reason = `deleted while it was being looked up: ${lookedUp.faults[0]?.Message ?? ''}`
      try {
        await write.restore({ ...caller, reason }, { definition, key })
      } catch (error) {
        if (error instanceof NotFound) return // another process was faster, or it is wanted back
        if (!(error instanceof Conflict || error instanceof Invalid)) throw error
        onTrouble(`${key} is deleted, other records look it up, and it cannot be brought back`, error)
      }
    },
  }
}
