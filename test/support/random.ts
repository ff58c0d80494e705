/** Random numbers that a seed repeats, so that a run that found something can be run again. */
export interface Random {
  /** 0 up to, but not including, 1. */
  next(): number
  /** A whole number from `from` to `to`, both included. */
  between(from: number, to: number): number
  pick<T>(from: readonly T[]): T
  chance(probability: number): boolean
}

/** mulberry32: small, and good enough to mix requests. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1))
  return {
    next,
    between,
    pick(from) {
      if (from.length === 0) throw new RangeError('there is nothing to pick from')
      return from[between(0, from.length - 1)]!
    },
    chance: (probability) => next() < probability,
  }
}
