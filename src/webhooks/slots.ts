/** A bound on how much is under way at once: for each name, and in all. Who waits longest goes first. */
export interface Slots {
  /** Resolves with what gives the slot back. */
  take(name: string): Promise<() => void>
}

interface Waiting {
  readonly name: string
  readonly go: () => void
}

export function slots({ perName, inAll }: { perName: number; inAll: number }): Slots {
  const taken = new Map<string, number>()
  let all = 0
  let waiting: Waiting[] = []

  const isFree = (name: string) => all < inAll && (taken.get(name) ?? 0) < perName
  const occupy = (name: string) => {
    all++
    taken.set(name, (taken.get(name) ?? 0) + 1)
  }
  const giveBack = (name: string) => {
    all--
    const left = taken.get(name)! - 1
    if (left === 0) taken.delete(name)
    else taken.set(name, left)
    const next = waiting.find((one) => isFree(one.name))
    if (!next) return
    waiting = waiting.filter((one) => one !== next)
    occupy(next.name)
    next.go()
  }
  const once = (name: string) => {
    let given = false
    return () => {
      if (!given) giveBack(name)
      given = true
    }
  }

  return {
    take(name) {
      if (isFree(name)) {
        occupy(name)
        return Promise.resolve(once(name))
      }
      return new Promise((resolve) => waiting.push({ name, go: () => resolve(once(name)) }))
    },
  }
}
