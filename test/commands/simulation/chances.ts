/** Chance that only depends on a seed. */

export interface Chances {
  /** From 0 up to, but not including, 1. */
  random(): number
  /** True with that probability. */
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
}

export function chancesOf(seed: number): Chances {
  const random = randomFrom(seed)
  return {
    random,
    chance: (probability) => random() < probability,
    pick: (from) => from[Math.floor(random() * from.length)]!,
  }
}

/** mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
