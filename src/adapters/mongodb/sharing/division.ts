/** Which shards of companies each process works on. Each keeps as many of its own as its part allows. */
import { SHARDS, shardOf } from '../../../domain/events/stream-name.ts'
import type { Company } from '../../../domain/events/event.ts'

export type Division = ReadonlyMap<string, readonly number[]>

/** The number of the company's shard, from 0. */
export const shardNumber = (company: Company): number => Number.parseInt(shardOf(company), 16)

/** All shards over the holders, as evenly as can be. @param before shards of holders that are not named are given to others */
export function divided(before: Division, holders: readonly string[]): Division {
  const taken = new Set<number>()
  const kept = holders.map((holder, at) => {
    const most = Math.floor(SHARDS / holders.length) + (at < SHARDS % holders.length ? 1 : 0)
    const shards = (before.get(holder) ?? []).filter((shard) => !taken.has(shard)).slice(0, most)
    for (const shard of shards) taken.add(shard)
    return { holder, most, shards }
  })
  const left = Array.from({ length: SHARDS }, (_, shard) => shard).filter((shard) => !taken.has(shard))
  return new Map(
    kept.map(({ holder, most, shards }) => [
      holder,
      [...shards, ...left.splice(0, most - shards.length)].sort((a, b) => a - b),
    ]),
  )
}
