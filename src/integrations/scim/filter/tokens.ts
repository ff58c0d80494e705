/** The words of a filter or a path. */
import { ScimInvalid, type ScimType } from '../invalid.ts'

export interface Token {
  /** `word`: a name, an operator, a number, true, false or null. */
  readonly kind: 'word' | 'text' | 'mark' | 'end'
  /** Of a text its value. */
  readonly text: string
  /** Where it begins, in characters from 0. */
  readonly at: number
}

const MOST_CHARACTERS = 4_096
const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|([()[\]])|([^\s"()[\]]+))/sy

/** @throws ScimInvalid */
export function tokensOf(text: string, wrong: ScimType): readonly Token[] {
  if (text.length > MOST_CHARACTERS) throw new ScimInvalid(wrong, `longer than ${MOST_CHARACTERS} characters`)
  const tokens: Token[] = []
  const pattern = new RegExp(TOKEN)
  const end = text.trimEnd().length
  while (pattern.lastIndex < end) {
    const from = pattern.lastIndex
    const match = pattern.exec(text)
    if (!match) throw new ScimInvalid(wrong, `a quotation mark at ${from + 1} is not closed`)
    const [whole, quoted, mark, word] = match
    const at = from + whole.length - (quoted ?? mark ?? word ?? '').length
    if (quoted !== undefined) tokens.push({ kind: 'text', text: textIn(quoted, at, wrong), at })
    else if (mark !== undefined) tokens.push({ kind: 'mark', text: mark, at })
    else tokens.push({ kind: 'word', text: word!, at })
  }
  return [...tokens, { kind: 'end', text: 'the end', at: end }]
}

/** Texts are those of JSON. */
function textIn(quoted: string, at: number, wrong: ScimType): string {
  try {
    return JSON.parse(quoted) as string
  } catch {
    throw new ScimInvalid(wrong, `the text at ${at + 1} is not a text as JSON has it`)
  }
}
