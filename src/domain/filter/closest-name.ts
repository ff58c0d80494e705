/** The name that a caller most likely meant, for messages that help. */

/** Beyond it nothing is compared, so that an object of many long names costs no time. */
const LONGEST = 32

/** "did you mean Rent?" for the closest name, or undefined when none is near. */
export function didYouMean(name: string, candidates: readonly string[]): string | undefined {
  const closest = closestName(name, candidates)
  return closest === undefined ? undefined : `did you mean ${closest}?`
}

/** The same, to go on with in a sentence: `; did you mean Rent?`, or nothing. */
export function meantName(name: string, candidates: readonly string[]): string {
  const meant = didYouMean(name, candidates)
  return meant === undefined ? '' : `; ${meant}`
}

/**
 * The candidate that differs least from `name`, or undefined when none is near: at most one edit in three letters (case does not
 * count; an exchange of neighbours is one), else the shortest candidate that holds the name, else one with a word that is near it.
 */
export function closestName(name: string, candidates: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined
  const near = nearest(
    name,
    candidates.map((candidate) => ({ candidate, word: candidate })),
  )
  if (near !== undefined || name.length < 3) return near
  const wanted = name.toLowerCase()
  const [holding] = candidates
    .filter((candidate) => candidate.toLowerCase().includes(wanted))
    .sort((a, b) => a.length - b.length)
  return holding ?? nearest(name, candidates.flatMap(wordsOf))
}

interface Word {
  readonly candidate: string
  readonly word: string
}

function nearest(name: string, words: readonly Word[]): string | undefined {
  const wanted = name.toLowerCase()
  const allowed = Math.max(1, Math.floor(name.length / 3))
  return words
    .filter(({ word }) => Math.abs(word.length - name.length) <= allowed)
    .map(({ candidate, word }) => ({ candidate, edits: editDistance(wanted, word.toLowerCase()) }))
    .filter(({ edits }) => edits <= allowed && edits < name.length)
    .sort((a, b) => a.edits - b.edits)[0]?.candidate
}

/** Monthly and Rent of MonthlyRent; none of a name that is one word. */
function wordsOf(candidate: string): readonly Word[] {
  if (candidate.length > LONGEST) return []
  const words = candidate.match(/[A-Z]?[a-z]{3,}/g) ?? []
  return words.length < 2 ? [] : words.map((word) => ({ candidate, word }))
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
