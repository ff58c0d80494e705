/** Random choices that are the same in every run: each thing that is made has a stream of numbers of its own name. */

export interface Random {
  /** From 0, below 1. */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  /** True about `share` (0 to 1) of the time. */
  chance(share: number): boolean
  /** @throws Error when there is nothing to pick from */
  pick<T>(items: readonly T[]): T
}

/** The stream of numbers that belongs to this name. */
export function randomOf(name: string): Random {
  let state = hashOf(name)
  // Mulberry32: small, fast, and good enough to look like chance.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    between: (low, high) => low + Math.floor(next() * (high - low + 1)),
    chance: (share) => next() < share,
    pick(items) {
      if (items.length === 0) throw new Error('there is nothing to pick from')
      return items[Math.floor(next() * items.length)]!
    },
  }
}

/** FNV-1a of the name, mixed once more so that names alike do not begin alike. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  return (hash ^ (hash >>> 13)) >>> 0
}
