/**
 * When a start is over: the read models show all that is stored, or, where an event is in the way that they cannot handle,
 * all that they can. That is for operators to see to while everything else is served (`GET /api/v1/projections`); but
 * records of an object whose definition is gone are a fault of the settings, and end the start.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../ports/log.ts'
import type { Definitions } from '../domain/definition.ts'
import type { Position } from '../domain/events/event.ts'
import { objectOfKey } from '../domain/records/key.ts'
import type { EventStore } from '../ports/event-store.ts'
import type { LastEvent } from '../ports/projection-store.ts'
import type { ReadModels } from '../ports/read-models.ts'
import { describeLast } from './log-state.ts'

export interface ReadyOptions {
  readonly events: Pick<EventStore, 'head' | 'subscribe'>
  readonly readModels: Pick<ReadModels, 'reached' | 'status'>
  /** The last event of the read models where they are of another log, and about to be rebuilt. */
  readonly otherLog: () => Promise<LastEvent | undefined>
  readonly definitions: Definitions
  readonly log: Log
}

const LOOK_MS = 1_000
const OTHER_LOG_MS = 250
/** Looks at which nothing moves before read models that no process writes are served as they are. */
const STILL_LOOKS = 10

/** @throws Error naming object and setting when there are records without a definition */
export async function caughtUp(options: ReadyOptions): Promise<void> {
  const { events, readModels, definitions, log } = options
  await sameLog(options)
  const head = await events.head()
  let positionsBefore = ''
  let still = 0
  while (!(await readModels.reached(head, LOOK_MS))) {
    const statuses = await readModels.status()
    const parked = statuses.flatMap(({ name, error }) => (error ? [{ name, ...error }] : []))
    for (const { position: before, error } of statuses)
      if (error) await checkDefined(events, definitions, before, error.position)
    const positions = JSON.stringify(statuses.map(({ position }) => position))
    // Those that are not parked, and need none that is, go on.
    if (parked.length > 0 && positions === positionsBefore) {
      log.error({ parked }, 'not everything that is stored can be shown')
      return
    }
    still = positions === positionsBefore ? still + 1 : 0
    positionsBefore = positions
    if (still >= STILL_LOOKS && statuses.every(({ isBuilt }) => isBuilt)) {
      log.warn(
        { head, statuses },
        'no process applies events to the read models; they are served as they are',
      )
      return
    }
  }
}

/** How far read models of another log have come says nothing: it is waited until they are left. */
async function sameLog({ otherLog, log }: Pick<ReadyOptions, 'otherLog' | 'log'>): Promise<void> {
  for (let isSaid = false; ; isSaid = true) {
    const stray = await otherLog()
    if (!stray) return
    if (!isSaid)
      log.warn(
        { detail: describeLast(stray) },
        'the read models are of another log: a process with the role projections has to rebuild them',
      )
    await delay(OTHER_LOG_MS)
  }
}

/** @param before where the projection stands: a store may know no position but those that it gave out */
async function checkDefined(
  events: ReadyOptions['events'],
  definitions: Definitions,
  before: Position,
  position: Position,
): Promise<void> {
  for await (const batch of events.subscribe(before)) {
    if (batch.position < position) continue
    const event = batch.events.find((one) => one.position === position)
    const object = event && objectOfKey(event.stream)
    if (object !== undefined && !definitions.has(object))
      throw new Error(
        `there are records of the object ${object} (such as ${event!.stream}), but no definition of it. Put its file ` +
          `back, into the folder that DEFINITIONS_DIR names`,
      )
    return
  }
}
