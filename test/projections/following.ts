/** What tests of `follow.ts` stand on: read models that keep what they are given, projections that fail when told to. */
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { Position, RecordedEvent } from '../../src/domain/events/event.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import type { Operation, ProjectionStore } from '../../src/ports/projection-store.ts'
import type { ProjectionStatus } from '../../src/ports/read-models.ts'
import { followEvents, type Follower } from '../../src/projections/follow.ts'
import type { Projection } from '../../src/projections/projection.ts'
import { happened, record } from '../support/given.ts'
import { memoryEventStore, memoryLog, type MemoryLog } from '../support/memory-event-store.ts'
import { key } from '../support/write-side.ts'

export type Work = Parameters<ProjectionStore['apply']>[0]

/** Keeps what it is given, as every projection store does: in order, once, all of a call or nothing. */
export function memoryProjectionStore() {
  const positions = new Map<string, Position>()
  const applied: string[] = []
  let trouble: (work: Work, position: Position) => void | Promise<void> = () => {}
  const store: ProjectionStore = {
    position: async (projection) => positions.get(projection) ?? 0,
    async apply(work, upTo) {
      await trouble(work, upTo)
      for (const { projection, steps } of work) {
        const from = positions.get(projection) ?? 0
        if (from >= upTo) continue
        for (const { position, operations } of steps)
          if (position > from) applied.push(`${projection} ${operations.map((one) => one.key).join(' ')}`)
        positions.set(projection, upTo)
      }
    },
    settled: async () => {},
    close: async () => {},
  }
  return {
    store,
    positions,
    /** What was applied, as `<projection> <Key>`. */
    applied,
    of: (projection: string) => applied.filter((one) => one.startsWith(`${projection} `)),
    /** Called before anything of a call is applied; when it throws, nothing is. */
    onApply: (troubleMaker: typeof trouble) => void (trouble = troubleMaker),
  }
}

/** A projection that tells of tenants, unless `poison` says that it does not understand them. */
export function projection(
  name: string,
  needs: readonly string[] = [],
  poison = (_key: string) => false,
): Projection {
  const project = ({ stream, metadata: { company } }: RecordedEvent): Operation[] => {
    if (poison(stream)) throw new Error(`${name} does not understand ${stream}`)
    return stream.startsWith('tenant-') ? [{ op: 'index', company, object: 'tenant', key: stream }] : []
  }
  return { name, needs, project }
}

export const tenant = (number: number) => key('tenant', number)
export const unit = (number: number) => key('unit', number)
/** An event of each, so that the nth is at position n. */
export const logOf = async (...streams: readonly string[]): Promise<MemoryLog> => {
  const log = memoryLog()
  await more(log, ...streams)
  return log
}
/** More events, of each of these streams. */
export const more = (log: MemoryLog, ...streams: readonly string[]) =>
  record(
    memoryEventStore({ log }),
    streams.map((stream) => happened(stream, 'tenant.created')),
  )

interface Following {
  readonly log: MemoryLog
  readonly projections: readonly Projection[]
  readonly models?: ReturnType<typeof memoryProjectionStore>
  readonly events?: Pick<EventStore, 'subscribe'>
  readonly batch?: number
  readonly onStatus?: (statuses: readonly ProjectionStatus[]) => void
  readonly pause?: (ms: number) => Promise<unknown>
}

/** Followers of one test, stopped after it. To be called where tests are described. */
export function followers() {
  let started: Follower[] = []
  let troubles: string[]
  beforeEach(() => {
    troubles = []
  })
  afterEach(async () => {
    await Promise.all(started.map((follower) => follower.stop()))
    started = []
  })

  const follow = async ({
    log,
    projections,
    models = memoryProjectionStore(),
    batch = 500,
    ...rest
  }: Following) => {
    const follower = await followEvents({
      events: rest.events ?? memoryEventStore({ log, batch }),
      store: models.store,
      projections,
      onStatus: rest.onStatus ?? (() => {}),
      onTrouble: (message) => troubles.push(message),
      ...(rest.pause && { pause: rest.pause }),
    })
    started.push(follower)
    const at = (name: string) => follower.status().find((one) => one.name === name)!
    const resume = (name: string) => follower.resume(name)
    return { ...models, resume, status: () => follower.status(), stop: () => follower.stop(), at }
  }
  /** Waits for something that is about to happen, in turns of the event loop and not in time. */
  const until = async (what: () => boolean) => {
    for (let i = 0; !what(); i++) {
      if (i === 2_000) throw new Error('it did not come to that')
      await turn()
    }
  }
  /** The same for what comes after a pause, such as another try. */
  const eventually = async (what: () => boolean) => {
    while (!what()) await delay(5)
  }
  /** Long enough for everything to happen that happens by itself. */
  const quiet = async () => {
    for (let i = 0; i < 50; i++) await turn()
  }

  return { follow, until, eventually, quiet, troubles: () => troubles }
}
