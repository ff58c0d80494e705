/**
 * The holder of the lease gives shards to other processes, and takes them back.
 *
 * What is taken back is fenced first, and only then read: who had it moves it no more. A share begins where the shards
 * that it is made of had all come to; what some of them had beyond is applied again, which changes nothing. One update of the
 * checkpoint, in the term of the lease, makes the new division hold. A process that dies before it leaves shares that count for nothing.
 */
import { randomUUID } from 'node:crypto'
import type { Collection } from 'mongodb'
import type { Position } from '../../../domain/events/event.ts'
import type { CheckpointDocument, GivenShare, ShareDocument } from '../bookkeeping.ts'
import { takenOver } from '../checkpoint.ts'
import { divided } from './division.ts'
import { positionsOf, stampOf, type Part } from './whole.ts'

export interface GiveShares {
  readonly positions: Collection<CheckpointDocument>
  readonly shares: Collection<ShareDocument>
  readonly generation: string
  readonly term: number
  /** Who is to have a share beside this process; empty: everything is taken back. */
  readonly holders: readonly string[]
}

export interface Given {
  readonly given: readonly GivenShare[]
  /** Of what this process keeps. */
  readonly positions: ReadonlyMap<string, Position>
}

/** Of the process that holds the lease, which gives them. */
const OWN = ''

/** @throws Unavailable when another process holds the lease by now */
export async function giveShares({
  positions,
  shares,
  generation,
  term,
  holders,
}: GiveShares): Promise<Given> {
  const before = await positions.findOne({ _id: generation, term })
  if (!before) throw takenOver()
  const taken = before.given ?? []
  const ids = taken.map(({ id }) => id)
  if (ids.length > 0) await shares.updateMany({ _id: { $in: ids } }, { $set: { fenced: true } })
  const found = ids.length > 0 ? await shares.find({ _id: { $in: ids } }).toArray() : []
  /** By holder. A share that is not there any more had not come anywhere. */
  const parts = new Map<string, Part>([[OWN, before]])
  const shards = new Map<string, readonly number[]>()
  for (const { id, holder, shards: of } of taken) {
    parts.set(holder, found.find(({ _id }) => _id === id) ?? { stamp: 0, positions: {} })
    shards.set(holder, of)
  }
  const next = divided(new Map([...shards, [OWN, ownOf(taken)]]), [OWN, ...holders])
  const startOf = (of: readonly number[]) =>
    startFrom([...shardHolders(shards, of)].map((holder) => parts.get(holder)!))

  const given = holders.map((holder) => ({
    id: `${generation}/${randomUUID()}`,
    holder,
    shards: next.get(holder)!,
  }))
  if (given.length > 0)
    await shares.insertMany(
      given.map(({ id, shards: of }) => ({ _id: id, generation, stamp: 0, ...startOf(of) })),
    )
  const own = startOf(next.get(OWN)!)
  const { matchedCount } = await positions.updateOne(
    { _id: generation, term },
    { $set: { ...own, given }, $inc: { stamp: 1 + stampOf(found) } },
  )
  if (matchedCount !== 1) throw takenOver()
  // Those of before are read by who has just seen the division of before.
  const kept = [...ids, ...given.map(({ id }) => id)]
  await shares.deleteMany({ generation, _id: { $nin: kept } })
  return { given, positions: new Map(Object.entries(own.positions)) }
}

/** The shards that nobody was given. */
function ownOf(given: readonly GivenShare[]): readonly number[] {
  const others = new Set(given.flatMap(({ shards }) => shards))
  return divided(new Map(), [OWN])
    .get(OWN)!
    .filter((shard) => !others.has(shard))
}

/** Who had any of the shards. */
function shardHolders(before: ReadonlyMap<string, readonly number[]>, shards: readonly number[]) {
  const holderOf = new Map([...before].flatMap(([holder, of]) => of.map((shard) => [shard, holder] as const)))
  return new Set(shards.map((shard) => holderOf.get(shard) ?? OWN))
}

/** Where what is made of these begins. */
function startFrom(parts: readonly Part[]): Pick<ShareDocument, 'positions' | 'last'> {
  const positions = positionsOf(parts)
  const last = [...positions].flatMap(([name, position]) => {
    const there = parts.find((part) => (part.positions[name] ?? 0) === position)?.last?.[name]
    return there ? [[name, there] as const] : []
  })
  return { positions: Object.fromEntries(positions), last: Object.fromEntries(last) }
}
