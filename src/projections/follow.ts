/**
 * Follows the event store and keeps read models up to date: the one loop behind every projection, on every engine.
 *
 * Projections that are in step move in one transaction. One that cannot handle an event is parked before it, with the
 * error for all to see, and those that need it wait with it; the others go on. Trouble of the store is not the fault of an
 * event: it is tried again until it passes.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable } from '../domain/errors.ts'
import type { Position, RecordedEvent } from '../domain/events/event.ts'
import type { EventBatch, EventStore } from '../ports/event-store.ts'
import type { LastEvent, ProjectionStore, Step } from '../ports/projection-store.ts'
import type { ProjectionStatus } from '../ports/read-models.ts'
import { lastOf, type Projection } from './projection.ts'

export interface FollowOptions<O> {
  readonly events: Pick<EventStore, 'subscribe'>
  readonly store: ProjectionStore<O>
  readonly projections: readonly Projection<O>[]
  /** Called whenever a projection has moved, parked or resumed. */
  readonly onStatus: (statuses: readonly ProjectionStatus[]) => void
  /** Called with what is worth a line in the log. */
  readonly onTrouble: (message: string, error: unknown) => void
  /** Rests before the next try, for so many ms. */
  readonly pause?: (ms: number) => Promise<unknown>
}

export interface Follower {
  status(): readonly ProjectionStatus[]
  /** A parked projection tries its event again. */
  resume(name: string): void
  /** Ends the loop after the batch at hand. */
  stop(): Promise<void>
}

interface Standing<O> {
  readonly projection: Projection<O>
  position: Position
  error?: { readonly position: Position; readonly message: string }
}

const RETRY_MS = { first: 100, most: 2_000 }

export async function followEvents<O>({
  events,
  store,
  projections,
  onStatus,
  onTrouble,
  pause = delay,
}: FollowOptions<O>): Promise<Follower> {
  const standings: Standing<O>[] = []
  for (const projection of projections)
    standings.push({ projection, position: await store.position(projection.name) })
  let stopped = false
  let interrupted = false
  /** The next pause: short again after every headway. */
  let retry = RETRY_MS.first
  let wake = () => {}
  const interrupt = () => {
    interrupted = true
    wake()
  }
  /** What the work gives, or undefined as soon as it is interrupted. */
  const unlessInterrupted = <T>(work: Promise<T>): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      wake = () => resolve(undefined)
      if (interrupted) wake()
      work.then(resolve, reject)
    })

  const parked = ({ projection, error }: Standing<O>): boolean =>
    error !== undefined ||
    standings.some((other) => projection.needs.includes(other.projection.name) && parked(other))
  const live = () => standings.filter((standing) => !parked(standing))

  const status = (): ProjectionStatus[] =>
    standings.map(({ projection, position, error }) => ({
      name: projection.name,
      position,
      state: error ? 'parked' : 'live',
      ...(error && { error }),
    }))

  /** Moves the live projections over the batch; false when one was parked on the way and the batch is to be read again. */
  const advance = async ({ events: batch, position }: EventBatch): Promise<boolean> => {
    const moving = live().map((standing) => ({ standing, ...stepsOf(standing, batch, position) }))
    const until = Math.min(...moving.map(({ understood }) => understood))
    try {
      await applyTo(moving, until, lastOf(batch, until))
    } catch (error) {
      if (error instanceof Unavailable) throw error
      await advanceOneByOne(
        moving.map(({ standing }) => standing),
        batch,
      )
      return false
    }
    const faulty = moving.filter(({ fault, understood }) => fault && understood === until)
    for (const { standing, fault } of faulty) park(standing, fault!.position, fault!.error)
    return faulty.length === 0
  }

  const applyTo = async (
    moving: readonly (Understood<O> & { standing: Standing<O> })[],
    position: Position,
    last: LastEvent | undefined,
  ) => {
    const behind = moving.filter(({ standing }) => standing.position < position)
    if (behind.length === 0) return
    const work = behind.map(({ standing, steps }) => ({
      projection: standing.projection.name,
      steps: steps.filter((step) => step.position <= position),
    }))
    await store.apply(work, position, last)
    for (const { standing } of behind) standing.position = position
    onStatus(status())
  }

  /** Finds the event that a read model could not take, and parks the projection before it. */
  const advanceOneByOne = async (standings: readonly Standing<O>[], batch: readonly RecordedEvent[]) => {
    // Only those that were in step: one that is resumed at this moment has to begin where it stopped.
    const moving = new Set(standings)
    for (const event of batch)
      for (const standing of moving) {
        if (parked(standing)) moving.delete(standing)
        if (!moving.has(standing)) continue
        try {
          const understood = stepsOf(standing, [event], event.position)
          if (understood.fault) throw understood.fault.error
          await applyTo([{ standing, ...understood }], event.position, lastOf([event]))
        } catch (error) {
          if (error instanceof Unavailable) throw error
          moving.delete(standing)
          park(standing, event.position, error)
        }
      }
  }

  const park = (standing: Standing<O>, position: Position, error: unknown) => {
    standing.error = { position, message: error instanceof Error ? error.message : String(error) }
    onTrouble(`projection ${standing.projection.name} is parked at position ${position}`, error)
    onStatus(status())
  }

  const follow = async () => {
    const moving = live()
    if (moving.length === 0) return await unlessInterrupted(new Promise<never>(() => {}))
    // Another process may have led in between.
    for (const standing of moving)
      standing.position = Math.max(standing.position, await store.position(standing.projection.name))
    const batches = events
      .subscribe(Math.min(...moving.map(({ position }) => position)))
      [Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await unlessInterrupted(batches.next())
        if (!next) return
        if (next.done) {
          stopped = true // the store has closed
          return
        }
        const whole = await advance(next.value)
        retry = RETRY_MS.first
        if (!whole || stopped) return
      }
    } finally {
      // Not waited for: it may itself be waiting for an event that never comes.
      void batches.return?.()
    }
  }

  const run = async () => {
    while (!stopped) {
      interrupted = false
      try {
        await follow()
      } catch (error) {
        if (stopped) return
        onTrouble('projections cannot go on for now', error)
        await unlessInterrupted(pause(retry))
        retry = Math.min(retry * 2, RETRY_MS.most)
      }
    }
  }

  onStatus(status())
  const running = run()

  return {
    status,
    resume(name) {
      for (const standing of standings) if (standing.projection.name === name) delete standing.error
      interrupt()
      onStatus(status())
    },
    async stop() {
      stopped = true
      interrupt()
      await running
    },
  }
}

interface Understood<O> {
  readonly steps: readonly Step<O>[]
  /** How far the projection can go: the end of the batch, or the event before the fault. */
  readonly understood: Position
  readonly fault?: { readonly position: Position; readonly error: unknown }
}

function stepsOf<O>(
  { projection, position: from }: Standing<O>,
  batch: readonly RecordedEvent[],
  end: Position,
): Understood<O> {
  const steps: Step<O>[] = []
  let understood = from
  for (const event of batch) {
    const { position } = event
    if (position <= from) continue
    try {
      const operations = projection.project(event)
      if (operations.length > 0) steps.push({ position, operations })
    } catch (error) {
      return { steps, understood, fault: { position, error } }
    }
    understood = position
  }
  return { steps, understood: Math.max(end, from) }
}
