/** Calls that come at the same time are done together, so that they wait for the disk once. */

interface Waiting<Given, Done> {
  readonly given: Given
  resolve(done: Done): void
  reject(error: unknown): void
}

/** So many calls are done together at most. */
const MOST_AT_ONCE = 500

/** @param work does some calls in one commit; what each comes to, in their order */
export function sharingCommits<Given, Done>(
  work: (some: readonly Given[]) => readonly Done[],
): (given: Given) => Promise<Done> {
  let waiting: Waiting<Given, Done>[] = []
  const commit = () => {
    const some = waiting.slice(0, MOST_AT_ONCE)
    waiting = waiting.slice(MOST_AT_ONCE)
    if (waiting.length > 0) setImmediate(commit)
    try {
      const done = work(some.map(({ given }) => given))
      for (const [index, { resolve }] of some.entries()) resolve(done[index]!)
    } catch (error) {
      for (const { reject } of some) reject(error)
    }
  }
  return (given) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ given, resolve, reject }) === 1) setImmediate(commit)
    })
}
