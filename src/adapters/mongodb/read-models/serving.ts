/**
 * Which generation is served. A rebuild writes another one beside it, and when that is whole a document says so: every
 * process looks there now and then, and reads the new one from then on. The old one is kept, and kept up to date, for
 * longer than any process reads it without having looked.
 *
 * A process never goes from one to another that has not come as far: what it has once read, or said to be there, stays. Two
 * are written beside each other for a while, and who wrote them may have died in between.
 */
import type { Collection } from 'mongodb'
import { Unavailable } from '../../../domain/errors.ts'
import type { PositionsDocument, ServingDocument } from '../bookkeeping.ts'

export interface ServedGeneration {
  current(): string
  /** Those of `current`; undefined before the first `look`. */
  collections(): PositionsDocument['collections'] | undefined
  /** Resolves when `current` is recent enough to be read. @throws Unavailable when that is not there */
  look(): Promise<void>
}

/** Older than this it is looked at again, while what is known is still used. */
const FRESH_MS = 2_000
/** Older than this it is not used. */
const STALE_MS = 10_000
/** How long a generation that is not served any more is kept up to date. */
export const GRACE_MS = 3 * STALE_MS

export interface ServedGenerationOptions {
  readonly serving: Pick<Collection<ServingDocument>, 'findOne'>
  readonly base: string
  /** Undefined for a generation that is not there. */
  readonly collectionsOf: (generation: string) => Promise<PositionsDocument['collections'] | undefined>
  /** Whether `next` shows everything that `current` does. */
  readonly isAsFar: (next: string, current: string) => Promise<boolean>
  /** Milliseconds, from any moment on. */
  readonly elapsed?: () => number
}

export function servedGeneration({
  serving,
  base,
  collectionsOf,
  isAsFar,
  elapsed = () => performance.now(),
}: ServedGenerationOptions): ServedGeneration {
  let current = base
  let collections: PositionsDocument['collections'] | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined

  const lookNow = async () => {
    const at = elapsed()
    const next = (await serving.findOne({ _id: base }))?.generation ?? base
    const isFirst = lookedAt === Number.NEGATIVE_INFINITY
    // Looked at again by the next who asks, once what is known is too old to be used unseen.
    if (next !== current && !isFirst && !(await isAsFar(next, current))) return
    const there = await collectionsOf(next)
    if (!there) throw new Unavailable('the read models of these definitions do not exist yet')
    current = next
    collections = there
    lookedAt = at
  }
  const look = () =>
    (looking ??= lookNow().finally(() => {
      looking = undefined
    }))

  return {
    current: () => current,
    collections: () => collections,
    async look() {
      const age = elapsed() - lookedAt
      if (age > STALE_MS) return look()
      // Its failure is reported when it is needed.
      if (age > FRESH_MS) look().catch(() => {})
    },
  }
}

/** A name for a rebuild of that generation, which no other has. */
export function rebuildOf(base: string, now: number): string {
  return `${base}-${now.toString(36)}`
}
