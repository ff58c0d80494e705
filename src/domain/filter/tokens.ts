/**
 * The words of a filter text. Every character is looked at once, whatever the text is: no pattern here can backtrack.
 */
import { faultAt } from './fault.ts'

export interface Token {
  /**
   * `word`: a keyword, or a path with its slashes; `literal`: what begins like a number (a date, a timestamp);
   * `text`: what was in quotes, without them; `mark`: anything else; `end`: after the last.
   */
  readonly kind: 'word' | 'literal' | 'text' | 'mark' | 'end'
  readonly text: string
  /** Where it begins, from 0. */
  readonly at: number
}

const BLANK = /[ \t\r\n]+/y
const WORD = /[\p{L}_][\p{L}\p{N}_/]*/uy
const LITERAL = /-?[0-9][0-9A-Za-z.:+-]*/y
const SIGN = /[=<>!&|]+|./suy

/** @throws Invalid for a text that is not closed */
export function tokensOf(filter: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const matching = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.exec(filter)?.[0]
  }
  while (at < filter.length) {
    const blank = matching(BLANK)
    if (blank) {
      at += blank.length
      continue
    }
    if (filter[at] === "'") {
      const end = closingQuote(filter, at)
      tokens.push({ kind: 'text', text: filter.slice(at + 1, end).replaceAll("''", "'"), at })
      at = end + 1
      continue
    }
    const word = matching(WORD)
    const literal = word ?? matching(LITERAL)
    const text = literal ?? matching(SIGN)!
    tokens.push({ kind: word ? 'word' : literal ? 'literal' : 'mark', text, at })
    at += text.length
  }
  tokens.push({ kind: 'end', text: '', at })
  return tokens
}

/** The quote that ends the text begun at `start`; two in a row are one quote of the text. */
function closingQuote(filter: string, start: number): number {
  for (let end = filter.indexOf("'", start + 1); end >= 0; end = filter.indexOf("'", end + 2))
    if (filter[end + 1] !== "'") return end
  throw faultAt('filter', start, 'a text without a closing quote begins', "a quote within it is written ''")
}
