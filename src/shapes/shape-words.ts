/** What is wrong with the shape of data, in words for the person who wrote it. */
import { meantName } from '../domain/filter/closest-name.ts'

/** What a schema says of a fault, as far as words are made of it. */
export interface ShapeIssue {
  readonly code?: string | undefined
  readonly input?: unknown
  readonly expected?: string
  /** Of what a length is: a string, an array, a number. */
  readonly origin?: string
  readonly minimum?: number | bigint
  readonly maximum?: number | bigint
  readonly inclusive?: boolean
  readonly values?: readonly unknown[]
  readonly format?: string
  readonly issues?: readonly { readonly message: string }[]
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  boolean: 'true or false',
  number: 'a number',
  int: 'an integer',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

/** Undefined where the schema has words of its own. */
export function shapeWords(issue: ShapeIssue): string | undefined {
  if (issue.input === undefined && issue.code !== 'invalid_key') return 'is missing'
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${KINDS[issue.expected ?? ''] ?? issue.expected}`
    case 'invalid_value':
      return choiceWords(issue.input, (issue.values ?? []).map(String))
    case 'too_small':
      return lengthWords(issue.origin, 'at least', Number(issue.minimum))
    case 'too_big':
      return lengthWords(issue.origin, 'at most', Number(issue.maximum))
    case 'invalid_format':
      return issue.format === 'url' ? 'must be an address that begins with http:// or https://' : undefined
    case 'invalid_key':
      return issue.issues?.map(({ message }) => `the name ${message}`).join('; ')
    default:
      return undefined
  }
}

/** `must be one of a, b; did you mean a?` */
export function choiceWords(input: unknown, choices: readonly string[]): string {
  if (choices.length === 1) return `must be ${choices[0]}`
  return `must be one of ${choices.join(', ')}${typeof input === 'string' ? meantName(input, choices) : ''}`
}

function lengthWords(origin: string | undefined, bound: string, length: number): string {
  if (origin === 'array') return `must have ${bound} ${length} ${length === 1 ? 'entry' : 'entries'}`
  if (origin !== 'string') return `must be ${bound} ${length}`
  if (length === 1 && bound === 'at least') return 'must not be empty'
  return `must have ${bound} ${length} ${length === 1 ? 'character' : 'characters'}`
}
