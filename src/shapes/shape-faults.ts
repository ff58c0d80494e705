/** The faults that a schema finds, each at the key that is wrong and in words for people. */
import { z } from 'zod'
import { closestName, didYouMean } from '../domain/filter/closest-name.ts'
import { choiceWords, shapeWords } from './shape-words.ts'

export interface ShapeFault {
  readonly path: readonly PropertyKey[]
  readonly reason: string
}

export interface FoundFault extends ShapeFault {
  /** Of an unknown key: the missing key that was probably meant. */
  readonly meant?: string
  /** Of an unknown key: the keys that are known. */
  readonly takes?: readonly string[]
}

/** What the value is, or everything that is wrong with its shape. */
export function readShape<T>(
  schema: z.ZodType<T>,
  value: unknown,
): { readonly data: T } | { readonly faults: readonly FoundFault[] } {
  const read = schema.safeParse(value, { error: wordsOf, reportInput: true })
  return read.success ? { data: read.data } : { faults: faultsOf(read.error.issues) }
}

type Issue = z.core.$ZodIssue

/** Of the keys that an object does not take: what it is, and the keys that it takes. Only the schema knows. */
const takers = new WeakMap<
  readonly string[],
  { readonly title?: string; readonly known: readonly string[] }
>()

function wordsOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') {
    const { title } = z.globalRegistry.get(issue.inst as z.ZodType) ?? {}
    const known = issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : []
    takers.set(issue.keys, { known, ...(title !== undefined && { title }) })
    return 'unknown key'
  }
  if (issue.code === 'invalid_union' && issue.input !== undefined) return NO_FORM
  return shapeWords(issue)
}

function faultsOf(issues: readonly Issue[]): FoundFault[] {
  const faults = issues.flatMap((issue): FoundFault[] => {
    if (issue.code === 'unrecognized_keys') return unknownKeys(issue)
    if (issue.code === 'invalid_union') return unionFaults(issue)
    return [{ path: issue.path, reason: issue.message }]
  })
  // A key in the wrong letters is one fault, not two.
  const renamed = new Set(faults.map(({ path, meant }) => meant && at([...path.slice(0, -1), meant])))
  return faults.filter(({ path, reason }) => reason !== 'is missing' || !renamed.has(at(path)))
}

function unknownKeys(issue: Issue & { code: 'unrecognized_keys' }): FoundFault[] {
  const { title, known } = takers.get(issue.keys)!
  const given = Object.keys(issue.input ?? {})
  const free = known.filter((key) => !given.includes(key))
  return issue.keys.map((key) => {
    const hint = didYouMean(key, free)
    const meant = free.find((one) => hint === `did you mean ${one}?`)
    const reason = title === undefined ? `unknown key ${key}` : `a ${title} takes no ${key}`
    return {
      path: [...issue.path, key],
      reason: hint === undefined ? reason : `${reason}; ${hint}`,
      takes: known,
      ...(meant !== undefined && { meant }),
    }
  })
}

/** Of the forms that a value may have, the faults of the one that it comes nearest to. */
function unionFaults(issue: Issue & { code: 'invalid_union' }): FoundFault[] {
  if (issue.input === undefined) return [{ path: issue.path, reason: 'is missing' }]
  const options = 'options' in issue ? (issue.options as readonly string[]) : undefined
  if (options) {
    const discriminator = String('discriminator' in issue ? issue.discriminator : '')
    const given = issue.input as Readonly<Record<string, unknown>>
    const input = given[discriminator]
    if (input !== undefined) return [{ path: issue.path, reason: choiceWords(input, options) }]
    return [missingKey(issue.path.slice(0, -1), discriminator, given)]
  }
  const forms = (issue.errors as readonly (readonly Issue[])[]).map((errors) => faultsOf(errors))
  const distances = forms.map((faults) => faults.reduce((sum, fault) => sum + distance(fault), 0))
  const least = Math.min(...distances)
  const nearest = forms.filter((_, index) => distances[index] === least)
  if (nearest.length !== 1 || least >= FAR) return [{ path: issue.path, reason: issue.message }]
  return nearest[0]!.map((fault) => ({ ...fault, path: [...issue.path, ...fault.path] }))
}

/** The key that says which form it is: it may be there in the wrong letters. */
function missingKey(path: readonly PropertyKey[], key: string, given: object): FoundFault {
  const near = Object.keys(given).find((one) => closestName(one, [key]) !== undefined)
  if (near === undefined) return { path: [...path, key], reason: 'is missing' }
  return { path: [...path, near], reason: `unknown key ${near}; did you mean ${key}?`, meant: key }
}

/** Of a union that has no words of its own. */
const NO_FORM = 'has none of the forms that are possible here'

const FAR = 100
/** A form of another type, or without its first key, is another form; one with a fault further in is that form. */
function distance({ path, reason }: FoundFault): number {
  if (path.length === 0) return FAR
  if (path.length > 1) return 1
  return reason === 'is missing' ? 3 : reason.startsWith('unknown key') ? 2 : 1
}

const at = (path: readonly PropertyKey[]) => JSON.stringify(path)
