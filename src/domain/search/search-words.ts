/**
 * The words by which records are found: the same for what is indexed and for what is asked, so that case, diacritics and
 * the way a letter is spelt do not matter (`Strasse` finds `Straße`, `oresund` finds `Øresund`).
 *
 * Indexes store what this returns: a change of a rule means that they must be rebuilt.
 */

/** Longer words are cut, and still found: the word that is asked is cut as well. In code points. */
const MAX_LENGTH = 64

/**
 * The most words of a text: indexes of MongoDB take no more than some 100,000 of a record, and each costs a write. A record
 * is found by the first of its words.
 */
export const MOST_WORDS = 5_000

/** Letters that no Unicode decomposition takes apart, but that people write with others. All in lowercase. */
const RESPELT: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['đ', 'd'],
  ['ð', 'd'],
  ['ħ', 'h'],
  ['ł', 'l'],
  ['ŋ', 'n'],
  ['þ', 'th'],
  ['ŧ', 't'],
  // Turkish: the capital of both i and ı is written I by everyone else.
  ['ı', 'i'],
  // Greek: the same letter at the end of a word, which the beginning of a longer word must match.
  ['ς', 'σ'],
])

const RESPELT_LETTERS = new RegExp(`[${[...RESPELT.keys()].join('')}]`, 'gu')
/** Marks on letters, and the invisible characters that stand within a word: soft hyphen, (non-)joiners. */
const WITHIN_WORDS = /[\p{M}\u00AD\u200C\u200D\u2060]+/gu
const WORDS = /[\p{L}\p{N}]+/gu

/**
 * The first 5,000 distinct words of a text, folded, in the order in which they first occur; empty when it has none.
 * `searchWords(words.join(' '))` gives the same words again.
 */
export function searchWords(text: string): string[] {
  const folded = text
    .normalize('NFKD')
    .replace(WITHIN_WORDS, '')
    .toLowerCase()
    .replace(RESPELT_LETTERS, (letter) => RESPELT.get(letter)!)
  const words = new Set<string>()
  for (const [word] of folded.matchAll(WORDS)) if (words.add(cut(word)).size === MOST_WORDS) break
  return [...words]
}

function cut(word: string): string {
  return word.length <= MAX_LENGTH ? word : [...word].slice(0, MAX_LENGTH).join('')
}
