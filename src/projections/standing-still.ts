/** Work that was left, known by looking at it again and again: what is under way shows something else in time. */

/**
 * The answer is true once as many looks in a row have shown the same, and again after as many more.
 * @param looks after the first that showed it
 */
export function standingStill(looks: number): (shown: string | undefined) => boolean {
  let [last, still]: [string | undefined, number] = [undefined, 0]
  return (shown) => {
    still = shown !== undefined && shown === last ? still + 1 : 0
    last = shown
    if (still < looks) return false
    still = 0
    return true
  }
}
