/**
 * Follows the event store and keeps read models up to date: the one loop behind every projection, on every engine.
 *
 * Projections that are in step move in one transaction. One that cannot handle an event is parked before it, with the
 * error for all to see, and those that need it wait with it; the others go on. Trouble of the store is not the fault of an
 * event: it is tried again until it passes.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable, messageOf } from '../domain/errors.ts'
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
  /** Looks where the store stands, which may have gone back, and goes on from there. What is parked stays so. */
  again(): void
  /** Ends the loop after the batch at hand. */
  stop(): Promise<void>
}

interface Standing<O> {
  readonly projection: Projection<O>
  position: Position
  error?: { readonly position: Position; readonly message: string }
}

const RETRY_MS = { first: 100, most: 2_000 }

export async function followEvents<O>(options: FollowOptions<O>): Promise<Follower> {
  const standings: Standing<O>[] = []
  for (const projection of options.projections)
    standings.push({ projection, position: await options.store.position(projection.name) })
  return new Following(options, standings)
}

class Following<O> implements Follower {
  readonly #options: FollowOptions<O>
  readonly #standings: readonly Standing<O>[]
  readonly #running: Promise<void>
  #stopped = false
  #interrupted = false
  /** The next pause: short again after every headway. */
  #retry = RETRY_MS.first
  #wake = () => {}
  /** Of the store, and at which batch; it has passed once that is applied, by this process or another. */
  #trouble: { readonly message: string; readonly upTo: Position } | undefined

  constructor(options: FollowOptions<O>, standings: readonly Standing<O>[]) {
    this.#options = options
    this.#standings = standings
    options.onStatus(this.status())
    this.#running = this.#run()
  }

  status(): ProjectionStatus[] {
    return this.#standings.map(({ projection, position, error }) => ({
      name: projection.name,
      position,
      state: error ? 'parked' : 'live',
      ...(error && { error }),
      ...(!error && this.#trouble && { trouble: this.#trouble.message }),
    }))
  }

  resume(name: string): void {
    for (const standing of this.#standings) if (standing.projection.name === name) delete standing.error
    this.#interrupt()
    this.#options.onStatus(this.status())
  }

  again(): void {
    this.#interrupt()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#interrupt()
    await this.#running
  }

  async #run(): Promise<void> {
    const { onTrouble, pause = delay } = this.#options
    while (!this.#stopped) {
      this.#interrupted = false
      try {
        await this.#follow()
      } catch (error) {
        if (this.#stopped) return
        onTrouble('projections cannot go on for now', error)
        await this.#unlessInterrupted(pause(this.#retry))
        this.#retry = Math.min(this.#retry * 2, RETRY_MS.most)
      }
    }
  }

  async #follow(): Promise<void> {
    const { events, store } = this.#options
    const moving = this.#live()
    if (moving.length === 0) return await this.#unlessInterrupted(new Promise<never>(() => {}))
    // Another process may have led in between, or begun again.
    for (const standing of moving) standing.position = await store.position(standing.projection.name)
    this.#unlessPassed(moving)
    const batches = events
      .subscribe(Math.min(...moving.map(({ position }) => position)))
      [Symbol.asyncIterator]()
    try {
      for (;;) {
        const next = await this.#unlessInterrupted(batches.next())
        if (!next) return
        if (next.done) {
          this.#stopped = true // the store has closed
          return
        }
        const whole = await this.#advanceOrSay(next.value)
        this.#unlessPassed(moving)
        this.#retry = RETRY_MS.first
        if (!whole || this.#stopped) return
      }
    } finally {
      // Not waited for: it may itself be waiting for an event that never comes.
      void batches.return?.()
    }
  }

  async #advanceOrSay(batch: EventBatch): Promise<boolean> {
    try {
      return await this.#advance(batch)
    } catch (error) {
      const message = messageOf(error)
      this.#trouble = { message, upTo: batch.position }
      this.#options.onStatus(this.status())
      throw error
    }
  }

  /** Trouble is over when what it held up is applied. */
  #unlessPassed(moving: readonly Standing<O>[]): void {
    const { upTo = Infinity } = this.#trouble ?? {}
    if (moving.some(({ position }) => position < upTo)) return
    this.#trouble = undefined
    this.#options.onStatus(this.status())
  }

  /** Moves the live projections over the batch; false when one was parked on the way and the batch is to be read again. */
  async #advance({ events: batch, position }: EventBatch): Promise<boolean> {
    const moving = this.#live().map((standing) => ({ standing, ...stepsOf(standing, batch, position) }))
    const until = Math.min(...moving.map(({ understood }) => understood))
    try {
      await this.#applyTo(moving, until, lastOf(batch, until))
    } catch (error) {
      if (error instanceof Unavailable) throw error
      await this.#advanceOneByOne(
        moving.map(({ standing }) => standing),
        batch,
      )
      return false
    }
    const faulty = moving.filter(({ fault, understood }) => fault && understood === until)
    for (const { standing, fault } of faulty) this.#park(standing, fault!.position, fault!.error)
    return faulty.length === 0
  }

  async #applyTo(
    moving: readonly (Understood<O> & { standing: Standing<O> })[],
    position: Position,
    last: LastEvent | undefined,
  ): Promise<void> {
    const behind = moving.filter(({ standing }) => standing.position < position)
    if (behind.length === 0) return
    const work = behind.map(({ standing, steps }) => ({
      projection: standing.projection.name,
      after: standing.position,
      steps: steps.filter((step) => step.position <= position),
    }))
    await this.#options.store.apply(work, position, last)
    for (const { standing } of behind) standing.position = position
    this.#options.onStatus(this.status())
  }

  /** Finds the event that a read model could not take, and parks the projection before it. */
  async #advanceOneByOne(standings: readonly Standing<O>[], batch: readonly RecordedEvent[]): Promise<void> {
    // Only those that were in step: one that is resumed at this moment has to begin where it stopped.
    const moving = new Set(standings)
    for (const event of batch)
      for (const standing of moving) {
        if (this.#isParked(standing)) moving.delete(standing)
        if (!moving.has(standing)) continue
        try {
          const understood = stepsOf(standing, [event], event.position)
          if (understood.fault) throw understood.fault.error
          await this.#applyTo([{ standing, ...understood }], event.position, lastOf([event]))
        } catch (error) {
          if (error instanceof Unavailable) throw error
          moving.delete(standing)
          this.#park(standing, event.position, error)
        }
      }
  }

  #park(standing: Standing<O>, position: Position, error: unknown): void {
    const { onStatus, onTrouble } = this.#options
    standing.error = { position, message: messageOf(error) }
    onTrouble(`projection ${standing.projection.name} is parked at position ${position}`, error)
    onStatus(this.status())
  }

  #isParked({ projection, error }: Standing<O>): boolean {
    return (
      error !== undefined ||
      this.#standings.some(
        (other) => projection.needs.includes(other.projection.name) && this.#isParked(other),
      )
    )
  }

  #live(): Standing<O>[] {
    return this.#standings.filter((standing) => !this.#isParked(standing))
  }

  /** What the work gives, or undefined as soon as it is interrupted. */
  #unlessInterrupted<T>(work: Promise<T>): Promise<T | undefined> {
    return new Promise((resolve, reject) => {
      this.#wake = () => resolve(undefined)
      if (this.#interrupted) this.#wake()
      work.then(resolve, reject)
    })
  }

  #interrupt(): void {
    this.#interrupted = true
    this.#wake()
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
