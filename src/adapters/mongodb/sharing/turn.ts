/**
 * The right to write a generation, or shards of it: of the process that holds the lease, for as long as it does; of another
 * one what it was given, until that is taken back.
 */
import type { Collection } from 'mongodb'
import { Unavailable } from '../../../domain/errors.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import type { LastEvent } from '../../../ports/projection-store.ts'
import type { GivenShare, ShareDocument } from '../bookkeeping.ts'
import { moved, TOUCHED, type Checkpoint } from '../checkpoint.ts'
import { shardNumber } from './division.ts'

export interface Turn {
  /** Of the lease; undefined for a share. */
  readonly term?: number
  /** Undefined for the holder of the lease. */
  readonly share?: string
  /** What was given to others, by the holder of the lease. */
  readonly given: readonly GivenShare[]
  /** How far the projections have come in what is written in this turn. */
  readonly positions: Map<string, Position>
  /** Whether the company's records are written in this turn. */
  has(company: Company): boolean
  /** @throws Unavailable when the turn is over */
  move(projections: readonly string[], position: Position, last: LastEvent | undefined): Promise<void>
  /** Records changed at an unchanged position. @throws Unavailable as above */
  touch(): Promise<void>
}

export interface LeadersTurn {
  readonly term: number
  readonly positions: ReadonlyMap<string, Position>
  readonly given: readonly GivenShare[]
  readonly checkpoint: Checkpoint
}

export function leadersTurn({ term, positions, given, checkpoint }: LeadersTurn): Turn {
  const others = new Set(given.flatMap(({ shards }) => shards))
  return {
    term,
    given,
    positions: new Map(positions),
    has: (company) => others.size === 0 || !others.has(shardNumber(company)),
    move: (projections, position, last) => checkpoint.move(term, projections, position, last),
    touch: () => checkpoint.touch(term),
  }
}

/** @param onLost called when it is seen that the share was taken back @throws Unavailable when it was */
export async function sharesTurn(
  shares: Collection<ShareDocument>,
  { id, shards }: GivenShare,
  onLost: () => void,
): Promise<Turn> {
  const own = new Set(shards)
  const lost = () => {
    onLost()
    return new Unavailable('what this process wrote of the projections was given to another')
  }
  const update = async (change: object) => {
    const { matchedCount } = await shares.updateOne({ _id: id, fenced: { $exists: false } }, change)
    if (matchedCount !== 1) throw lost()
  }
  const document = await shares.findOne({ _id: id })
  if (!document || document.fenced) throw lost()
  return {
    share: id,
    given: [],
    positions: new Map(Object.entries(document.positions)),
    has: (company) => own.has(shardNumber(company)),
    move: (projections, position, last) => update(moved(projections, position, last)),
    touch: () => update(TOUCHED),
  }
}
