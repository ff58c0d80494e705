/** A checkpoint of which other processes have shares: all of its parts, and how far everything has come. */
import type { Collection } from 'mongodb'
import { Unavailable } from '../../../domain/errors.ts'
import type { Position } from '../../../domain/events/event.ts'
import type { LastEvent } from '../../../ports/projection-store.ts'
import type { CheckpointDocument, ShareDocument } from '../bookkeeping.ts'

export type Part = Pick<CheckpointDocument, 'stamp' | 'positions' | 'last'>

const TRIES = 3

/** The checkpoint and its shares; `look` reads it again when it was divided again in between. */
export async function partsOf<D extends CheckpointDocument>(
  look: () => Promise<D | null>,
  shares: Collection<ShareDocument>,
): Promise<readonly Part[]> {
  for (let tries = 1; ; tries++) {
    const document = await look()
    const ids = document?.given?.map(({ id }) => id) ?? []
    if (!document || ids.length === 0) return document ? [document] : []
    const found = await shares.find({ _id: { $in: ids } }).toArray()
    if (found.length === ids.length) return [document, ...found]
    if (tries === TRIES) throw new Unavailable('the work of the projections is being divided')
  }
}

/** How far all parts have come. */
export function positionsOf(parts: readonly Part[]): Map<string, Position> {
  const names = new Set(parts.flatMap(({ positions }) => Object.keys(positions)))
  return new Map(
    [...names].map((name) => [name, Math.min(...parts.map(({ positions }) => positions[name] ?? 0))]),
  )
}

/** Grows whenever one of the parts does: what is taken back is added to the checkpoint's own. */
export const stampOf = (parts: readonly Part[]): number => parts.reduce((sum, { stamp }) => sum + stamp, 0)

export const lastsOf = (parts: readonly Part[]): LastEvent[] =>
  parts.flatMap(({ last }) => Object.values(last ?? {}))
