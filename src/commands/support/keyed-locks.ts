/**
 * Commands of one process that touch the same records, one after the other.
 *
 * The event store refuses what other processes have overtaken; this keeps commands of the same process from running
 * into that, and keeps a record from being deleted while another that looks it up is being written. Keys are taken in
 * order, so that no two commands wait for each other.
 */
export interface Wanted {
  readonly key: string
  /** Shared holders do not wait for each other, only for the exclusive one. */
  readonly shared: boolean
}

export interface KeyedLocks {
  /** Runs `work` holding the keys. */
  holding<T>(wanted: readonly Wanted[], work: () => Promise<T>): Promise<T>
}

interface Lock {
  shared: number
  exclusive: boolean
  readonly waiting: { readonly shared: boolean; readonly go: () => void }[]
}

export function keyedLocks(): KeyedLocks {
  const locks = new Map<string, Lock>()

  const free = (lock: Lock, shared: boolean) => !lock.exclusive && (shared || lock.shared === 0)
  const take = (lock: Lock, shared: boolean) => {
    if (shared) lock.shared++
    else lock.exclusive = true
  }

  const acquire = ({ key, shared }: Wanted): Promise<void> | undefined => {
    let lock = locks.get(key)
    if (!lock) locks.set(key, (lock = { shared: 0, exclusive: false, waiting: [] }))
    if (lock.waiting.length === 0 && free(lock, shared)) {
      take(lock, shared)
      return undefined
    }
    return new Promise((go) => lock.waiting.push({ shared, go }))
  }

  const release = ({ key, shared }: Wanted) => {
    const lock = locks.get(key)!
    if (shared) lock.shared--
    else lock.exclusive = false
    for (let next = lock.waiting[0]; next && free(lock, next.shared); next = lock.waiting[0]) {
      lock.waiting.shift()
      take(lock, next.shared)
      next.go()
    }
    if (lock.shared === 0 && !lock.exclusive && lock.waiting.length === 0) locks.delete(key)
  }

  return {
    async holding(wanted, work) {
      const inOrder = withoutRepeats(wanted)
      for (const one of inOrder) {
        const turn = acquire(one)
        if (turn) await turn
      }
      try {
        return await work()
      } finally {
        inOrder.forEach(release)
      }
    },
  }
}

/** In order of key; a key wanted both ways is taken exclusively. */
function withoutRepeats(wanted: readonly Wanted[]): Wanted[] {
  if (wanted.length < 2) return [...wanted]
  const byKey = new Map<string, Wanted>()
  for (const one of wanted) if (!byKey.has(one.key) || !one.shared) byKey.set(one.key, one)
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1))
}
