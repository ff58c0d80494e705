/**
 * How far the projections have come: one document for all of them, so that those of one call move together.
 *
 * It is written after everything that it covers, and only in the term of the lease's holder. Its `stamp` grows whenever
 * records may have changed, also when a fan-out changes them without moving a position: what was counted under one
 * stamp holds until the next. Where other processes write some shards (`sharing/`), each moves a document of its own, and
 * what is read is what all of them have come to.
 */
import type { Collection, UpdateFilter } from 'mongodb'
import { Unavailable } from '../../domain/errors.ts'
import type { Position } from '../../domain/events/event.ts'
import type { LastEvent } from '../../ports/projection-store.ts'
import type { CheckpointDocument, ShareDocument } from './bookkeeping.ts'
import { isDuplicate } from './domain-errors.ts'
import { lastsOf, partsOf, positionsOf, stampOf } from './sharing/whole.ts'

export type Positions = ReadonlyMap<string, Position>

export interface Checkpoint {
  read(): Promise<{ readonly positions: Positions; readonly stamp: number }>
  /** From now on only this term moves the positions. Answers where they stand, of what is not given to others. */
  claim(term: number): Promise<Positions>
  /**
   * Moves the named projections to `position`; `last`: the last event that it covers, where the batch had any.
   * @throws Unavailable when another process has the lease by now
   */
  move(
    term: number,
    projections: readonly string[],
    position: Position,
    last: LastEvent | undefined,
  ): Promise<void>
  /** The last events that the positions cover. */
  lasts(): Promise<readonly LastEvent[]>
  /** Records changed at an unchanged position. @throws Unavailable as above */
  touch(term: number): Promise<void>
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/

/** @param shares where some of it may be given to other processes */
export function checkpointOf(
  positions: Collection<CheckpointDocument>,
  generation: () => string,
  shares?: Collection<ShareDocument>,
): Checkpoint {
  const update = async (term: number, change: UpdateFilter<CheckpointDocument>) => {
    const { matchedCount } = await positions.updateOne({ _id: generation(), term }, change)
    if (matchedCount !== 1) throw takenOver()
  }
  const parts = async () => {
    const look = () => positions.findOne({ _id: generation() })
    if (shares) return partsOf(look, shares)
    const document = await look()
    return document ? [document] : []
  }
  return {
    async read() {
      const all = await parts()
      return { positions: positionsOf(all), stamp: stampOf(all) }
    },
    async claim(term) {
      const id = generation()
      if (!(await positions.findOne({ _id: id })))
        await positions.insertOne({ _id: id, term, stamp: 0, positions: {} }).catch(unlessDuplicate)
      await positions.updateOne({ _id: id, term: { $lt: term } }, { $set: { term }, $inc: { stamp: 1 } })
      const claimed = await positions.findOne({ _id: id })
      if (claimed?.term !== term) throw takenOver()
      return new Map(Object.entries(claimed.positions))
    },
    move: async (term, projections, position, last) => update(term, moved(projections, position, last)),
    lasts: async () => lastsOf(await parts()),
    touch: (term) => update(term, TOUCHED),
  }
}

export const TOUCHED = { $inc: { stamp: 1 } } as const

/** What is to be written of a checkpoint's document, or a share's, that is moved. */
export function moved(
  projections: readonly string[],
  position: Position,
  last: LastEvent | undefined,
): UpdateFilter<CheckpointDocument> {
  const strange = projections.find((name) => !NAME.test(name))
  if (strange !== undefined) throw new Error(`no name of a projection: ${strange}`)
  const all = <T>(field: string, value: T) =>
    Object.fromEntries(projections.map((name) => [`${field}.${name}`, value]))
  return { ...TOUCHED, $max: all('positions', position), ...(last && { $set: all('last', last) }) }
}

export function takenOver(): Unavailable {
  return new Unavailable('another process writes the projections by now')
}

/** Another process made the document first. */
function unlessDuplicate(error: unknown): void {
  if (!isDuplicate(error)) throw error
}
