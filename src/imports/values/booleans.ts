/** Words for yes and no. Which of two words in a column is which is only taken from this list, else asked. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['true', 'false'],
  ['yes', 'no'],
  ['y', 'n'],
  ['ja', 'nee'],
  ['j', 'n'],
  ['ja', 'nein'],
  ['oui', 'non'],
  ['o', 'n'],
  ['si', 'no'],
  ['sí', 'no'],
  ['sì', 'no'],
  ['waar', 'onwaar'],
  ['wahr', 'falsch'],
  ['vrai', 'faux'],
  ['1', '0'],
  ['x', ''],
  ['on', 'off'],
]

export interface BooleanWords {
  readonly true: string
  readonly false: string
}

/** The pair that has all the words, each in lower case; undefined when none has, or several disagree about one. */
export function booleanWords(words: ReadonlySet<string>): BooleanWords | undefined {
  const filled = [...words].filter((word) => word !== '')
  const fitting = PAIRS.filter((pair) => filled.length > 0 && filled.every((word) => pair.includes(word)))
  const agreed = fitting.filter(([yes]) =>
    filled.every((word) => (word === yes) === (word === fitting[0]![0])),
  )
  return agreed.length > 0 && agreed.length === fitting.length
    ? { true: agreed[0]![0], false: agreed[0]![1] }
    : undefined
}
