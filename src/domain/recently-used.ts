/**
 * A cache of bounded size that keeps what was used last.
 *
 * Two generations, not one Map whose oldest entry is deleted for each new one: V8 leaves a gap where an entry was, and finding the oldest steps over all gaps (15 µs with 20,000 entries). An old generation is dropped as a whole.
 */
export interface RecentlyUsed<V> {
  /** The value, which counts as used. */
  get(key: string): V | undefined
  /** @param weight how much of the capacity the value takes; 1 or more, 1 by default */
  set(key: string, value: V, weight?: number): void
  delete(key: string): void
  clear(): void
}

interface Kept<V> {
  readonly value: V
  readonly weight: number
}

/** Keeps entries of at most `capacity` in weight, among them at least the half that was used last. */
export function recentlyUsed<V>(capacity: number): RecentlyUsed<V> {
  const half = Math.max(1, Math.floor(capacity / 2))
  let young = new Map<string, Kept<V>>()
  let old = new Map<string, Kept<V>>()
  let weight = 0

  const keep = (key: string, kept: Kept<V>) => {
    const before = young.get(key)?.weight ?? 0
    const hasOthers = young.size > Number(before > 0)
    weight += kept.weight - before
    if (weight > half && hasOthers) {
      young.delete(key)
      old = young
      young = new Map()
      weight = kept.weight
    }
    young.set(key, kept)
  }

  return {
    get(key) {
      const kept = young.get(key)
      if (kept) return kept.value
      const aged = old.get(key)
      if (aged) keep(key, aged)
      return aged?.value
    },
    set: (key, value, weight = 1) => keep(key, { value, weight }),
    delete(key) {
      weight -= young.get(key)?.weight ?? 0
      young.delete(key)
      old.delete(key)
    },
    clear() {
      young.clear()
      old.clear()
      weight = 0
    },
  }
}
