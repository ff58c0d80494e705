/** The name that a caller most likely meant, for messages that help. */

/** Beyond it nothing is compared, so that an object of many long names costs no time. */
const LONGEST = 32

/**
 * "did you mean Rent?" for the candidate that differs least from `name`, or undefined when none is near: at most one
 * edit in three letters (case does not count; an exchange of neighbours is one), else the shortest candidate that holds the name.
 */
export function didYouMean(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  const wanted = name.toLowerCase()
  const allowed = Math.max(1, Math.floor(name.length / 3))
  const near = candidates
    .filter((candidate) => Math.abs(candidate.length - name.length) <= allowed)
    .map((candidate) => ({ candidate, edits: editDistance(wanted, candidate.toLowerCase()) }))
    .filter(({ edits }) => edits <= allowed && edits < name.length)
    .sort((a, b) => a.edits - b.edits)[0]?.candidate
  const holding = candidates
    .filter((candidate) => wanted.length >= 3 && candidate.toLowerCase().includes(wanted))
    .sort((a, b) => a.length - b.length)[0]
  const closest = near ?? holding
  return closest === undefined ? undefined : `did you mean ${closest}?`
}

/** The same, to go on with in a sentence: `; did you mean Rent?`, or nothing. */
export function meantName(name: string, candidates: readonly string[]): string {
  const meant = didYouMean(name, candidates)
  return meant === undefined ? '' : `; ${meant}`
}

/** How many letters must be put in, taken out, replaced or exchanged with their neighbour. */
function editDistance(from: string, to: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j++) {
      const replaced = row[j]! + (from[i] === to[j] ? 0 : 1)
      const exchanged =
        i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j] ? before[j - 1]! + 1 : replaced
      next.push(Math.min(replaced, exchanged, row[j + 1]! + 1, next[j]! + 1))
    }
    before = row
    row = next
  }
  return row[to.length]!
}
