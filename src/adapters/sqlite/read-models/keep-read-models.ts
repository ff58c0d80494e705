/**
 * The embedded read models as the engine thread keeps them: they follow the events, and are rebuilt beside those that are served when nobody has them yet or an operator asks (blue/green).
 */
import type { Worker } from 'node:worker_threads'
import type { DatabaseSync } from 'node:sqlite'
import type { Checkpoints } from '../files/checkpoints.ts'
import type { FromEngine } from '../events/engine-messages.ts'
import {
  nextGeneration,
  nextReadModelPath,
  readModelPath,
  removeGeneration,
  removeGenerationAside,
  removeOtherGenerations,
} from './generation.ts'
import { keepFlushing } from '../files/keep-flushing.ts'
import { openDerived } from '../files/derived.ts'
import { naming, openForWriting } from '../files/open.ts'
import { sqliteProjectionStore, type SqliteProjectionStore } from './projection-store.ts'
import { describeLast, strayOf } from '../../../projections/log-state.ts'
import type { EventStore } from '../../../ports/event-store.ts'
import { messageOf } from '../../../domain/errors.ts'
import type { Definitions } from '../../../domain/definition.ts'
import type { Position } from '../../../domain/events/event.ts'
import type { ProjectionStatus } from '../../../ports/read-models.ts'
import { followEvents, type Follower } from '../../../projections/follow.ts'
import { READ_MODEL_PROJECTIONS, readModelProjections } from '../../../projections/read-model-projections.ts'

export interface KeptReadModels {
  readonly path: string
  /** Begins to follow; resolves when that has begun. */
  start(): Promise<void>
  rebuild(): void
  resume(projection: string): void
  /** The main thread has let go of this file. */
  released(path: string): void
  close(): Promise<void>
}

/** What a thread says that builds a file. */
export type FromRebuild =
  | { readonly kind: 'progress'; readonly position: Position; readonly of: Position }
  | { readonly kind: 'whole' }

export interface KeptReadModelsOptions {
  readonly dataDir: string
  readonly definitions: Definitions
  readonly source: Pick<EventStore, 'read' | 'subscribe' | 'head'>
  /** Starts a thread that builds the file, and ends when it is whole. */
  readonly builder: (path: string) => Worker
  readonly checkpoints: Checkpoints
  readonly say: (message: FromEngine) => void
}

/** A file with its store, and what follows the events into it. */
interface Side {
  readonly path: string
  readonly db: DatabaseSync
  readonly store: SqliteProjectionStore
  follower?: Follower
  statuses: readonly ProjectionStatus[]
}

/** Fewer events are followed as quickly as they would be built. */
const WORTH_BUILDING = 20_000
const GROWN_PAGES = 16_000
export function keepReadModels(options: KeptReadModelsOptions): KeptReadModels {
  const { dataDir, definitions, source, checkpoints, say } = options
  const trouble = (message: string, error: unknown) =>
    say({ kind: 'trouble', message, detail: messageOf(error) })

  let builder: Worker | undefined
  let rebuilding: { position: Position; of: Position } | undefined
  let closed = false
  /** Where the events ended at the start: from there on the read models are whole. Undefined: the store did not answer. */
  let whole: Position | undefined
  /** Until the read models have been whole once, and show every new name, no listener hears that they have got this far. */
  let standing: 'building' | 'settling' | 'settled' = 'building'

  const report = (side: Side) => {
    checkpoints.written(side.db)
    // Not yet, or no longer, what is served; the first is listed while it is being opened.
    if (side !== serving) return
    const { statuses } = side
    // A fan-out of an earlier process moves on before anyone follows.
    if (statuses.length === 0) return
    const isStuck = statuses.some(({ state, trouble }) => state === 'parked' || trouble !== undefined)
    if (standing === 'building' && statuses.every(({ position }) => position >= (whole ?? 0)))
      void settle(side)
    if (standing === 'settled' || isStuck)
      say({ kind: 'projected', statuses: statuses.map(shown), changes: side.store.takeChanges() })
  }
  const shown = (status: ProjectionStatus): ProjectionStatus =>
    rebuilding
      ? { ...status, state: status.state === 'live' ? 'rebuilding' : status.state, rebuilding }
      : status
  const settle = async (side: Side) => {
    standing = 'settling'
    await side.store.settled()
    standing = 'settled'
    if (whole !== undefined && !rebuilding) removeOtherGenerations(dataDir, side.path)
    report(side)
  }

  const openSide = (file: string): Side => {
    const db = openForWriting({ path: file, synchronous: 'NORMAL', cacheMegabytes: 64 })
    const openStore = () => sqliteProjectionStore({ db, definitions, onBackgroundChange: () => report(side) })
    const store = naming(file, () => {
      try {
        return openStore()
      } catch (error) {
        db.close()
        throw error
      }
    })
    checkpoints.watch({ db, path: file, grown: GROWN_PAGES })
    const side: Side = { path: file, db, store, statuses: [] }
    return side
  }
  const follow = async (side: Side, onStatus: () => void) => {
    side.follower = await followEvents({
      events: source,
      store: side.store,
      projections: readModelProjections(definitions),
      onStatus(statuses) {
        side.statuses = statuses
        onStatus()
      },
      onTrouble: trouble,
    })
  }
  const closeSide = async ({ follower, store, db }: Side) => {
    await follower?.stop()
    checkpoints.unwatch(db)
    await store.close()
  }

  /** Resolves when the file is whole. @throws Error why it cannot be built */
  const build = (file: string): Promise<void> => {
    const stopFlushing = keepFlushing(file)
    return new Promise<void>((resolve, reject) => {
      builder = options.builder(file)
      builder.on('message', (message: FromRebuild) => {
        if (message.kind === 'whole') return resolve()
        rebuilding = message
        report(serving)
      })
      builder.once('error', reject)
      builder.once('exit', () => reject(new Error('the rebuild was ended')))
    }).finally(stopFlushing)
  }

  const rebuild = async () => {
    if (rebuilding) return
    const next = nextReadModelPath(serving.path)
    rebuilding = { position: 0, of: Math.max(...serving.statuses.map(({ position }) => position)) }
    report(serving)
    try {
      await build(next)
      if (!closed) await changeOver(next)
    } catch (error) {
      if (closed) return
      removeGeneration(next)
      trouble('the read models could not be rebuilt; those that were there are served on', error)
    }
    rebuilding = undefined
    report(serving)
  }

  /** Where there are events but no read models of them: built in one go, which following them would take much longer for. */
  const buildFirst = async () => {
    const file = nextReadModelPath(serving.path)
    try {
      await build(file)
      if (closed) return
      const empty = serving
      serving = openSide(file)
      say({ kind: 'switched', readModelPath: file })
      await closeSide(empty)
    } catch (error) {
      if (closed) return
      // An event that cannot be handled, say: followed one by one, it is parked where all can see it.
      trouble('the read models cannot be built in one go', error)
      removeGeneration(file)
    } finally {
      rebuilding = undefined
    }
  }

  /** Lets the new file catch up beside the old one, and serves it from then on. */
  const changeOver = async (file: string) => {
    const before = serving
    const side = openSide(file)
    try {
      await catchUp(side, before)
    } catch (error) {
      await closeSide(side)
      // It may have been stopped for the last events.
      if (!closed && !before.follower) await follow(before, () => report(before))
      throw error
    }
    serving = side
    side.store.takeChanges()
    say({ kind: 'switched', readModelPath: file })
    await closeSide(before)
  }

  /**
   * Resolves when the new side has all events of the one that is served, which is stopped then.
   * @throws Error when the new one cannot get that far
   */
  const catchUp = async (side: Side, before: Side) => {
    const reached = () => {
      const least = Math.min(...before.statuses.map(({ position }) => position))
      return side.statuses.length > 0 && side.statuses.every(({ position }) => position >= least)
    }
    let look = () => {}
    const until = (met: () => boolean) =>
      new Promise<void>((resolve, reject) => {
        look = () => {
          const parked = side.statuses.find(({ error }) => error !== undefined)
          if (met()) resolve()
          else if (parked?.error)
            reject(new Error(`position ${parked.error.position}: ${parked.error.message}`))
        }
        look()
      })
    await follow(side, () => {
      report(side)
      look()
    })
    await until(reached)
    await side.store.settled()
    // From here until the new one has the last of the old one's events, writes wait to be seen.
    const stopping = before.follower?.stop()
    delete before.follower
    await stopping
    await until(reached)
    await side.store.settled()
  }

  /** Begins again with an empty file where the read models are not of the log that is followed. */
  const leaveOtherLog = async () => {
    const stray = await strayOf(source, serving.store.lastEvents(), () => closed)
    if (!stray || closed) return
    trouble('the read models are of another log, and are rebuilt', describeLast(stray))
    const other = serving
    serving = openSide(nextGeneration(other.path))
    say({ kind: 'switched', readModelPath: serving.path })
    await closeSide(other)
  }

  const first = readModelPath(dataDir, definitions)
  let serving = openDerived(
    first,
    () => openSide(first),
    (aside, error) =>
      trouble(`the read models are damaged and are rebuilt; they were put aside as ${aside}`, error),
  )

  return {
    path: serving.path,
    async start() {
      await leaveOtherLog()
      whole = await source.head().catch(() => undefined)
      const isNew = (await serving.store.position(READ_MODEL_PROJECTIONS[0]!)) === 0
      if (isNew && (whole ?? 0) > WORTH_BUILDING) await buildFirst()
      if (!closed) await follow(serving, () => report(serving))
    },
    rebuild: () => void rebuild(),
    resume: (projection) => serving.follower?.resume(projection),
    released: (file) =>
      void removeGenerationAside(file).catch((error: unknown) => trouble(`${file} cannot be removed`, error)),
    async close() {
      closed = true
      await builder?.terminate()
      await closeSide(serving)
    },
  }
}
