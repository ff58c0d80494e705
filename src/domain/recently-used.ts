/**
 * A cache of bounded size that keeps what was used last.
 *
 * Two generations, not one Map whose oldest entry is deleted for each new one: V8 leaves a gap where an entry was, and finding the oldest steps over all gaps (15 µs with 20,000 entries). An old generation is dropped as a whole.
 */
export interface RecentlyUsed<V> {
  /** The value, which counts as used. */
  get(key: string): V | undefined
  set(key: string, value: V): void
  delete(key: string): void
  clear(): void
}

/** Keeps at most `capacity` entries, among them at least the half that was used last. */
export function recentlyUsed<V>(capacity: number): RecentlyUsed<V> {
  const half = Math.max(1, Math.floor(capacity / 2))
  let young = new Map<string, V>()
  let old = new Map<string, V>()

  const keep = (key: string, value: V) => {
    if (young.size >= half && !young.has(key)) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }

  return {
    get(key) {
      const value = young.get(key)
      if (value !== undefined) return value
      const aged = old.get(key)
      if (aged !== undefined) keep(key, aged)
      return aged
    },
    set: keep,
    delete(key) {
      young.delete(key)
      old.delete(key)
    },
    clear() {
      young.clear()
      old.clear()
    },
  }
}
