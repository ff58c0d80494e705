/** A Key of the same object, of the right shape and of the same length, that is another one. */
export function unlike(key: string): string {
  return key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')
}
