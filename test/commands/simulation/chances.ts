/** Chance that only depends on a seed. */
import { seededRandom } from '../../support/random.ts'

export interface Chances {
  /** From 0 up to, but not including, 1. */
  random(): number
  /** True with that probability. */
  chance(probability: number): boolean
  pick<T>(from: readonly T[]): T
}

export function chancesOf(seed: number): Chances {
  const { next: random } = seededRandom(seed)
  return {
    random,
    chance: (probability) => random() < probability,
    pick: (from) => from[Math.floor(random() * from.length)]!,
  }
}
