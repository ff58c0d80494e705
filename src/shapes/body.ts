/** Bodies of requests, read by the schemas that OpenAPI describes them from. */
import type { z } from 'zod'
import { Invalid, MOST_FAULTS, type Fault } from '../domain/errors.ts'
import { isObject, type Fields } from '../domain/json.ts'
import { meantName } from '../domain/filter/closest-name.ts'
import { fieldAt } from './field-at.ts'
import { readShape, type FoundFault } from './shape-faults.ts'

/**
 * The body as the schema reads it.
 * @param notValid the message of the error, such as `The login is not valid.`
 * @throws Invalid with every fault, each at its field
 */
export function readBody<T>(schema: z.ZodType<T>, body: unknown, notValid: string): T {
  const read = bodyOrFaults(schema, body)
  if ('faults' in read) throw new Invalid(notValid, read.faults)
  return read.data
}

/** The body, or its faults where others may come to them. @throws Invalid for what is not an object at all */
export function bodyOrFaults<T>(
  schema: z.ZodType<T>,
  body: unknown,
): { readonly data: T } | { readonly faults: readonly Fault[] } {
  const read = readShape(schema, body)
  if ('data' in read) return read
  objectIn(body)
  return { faults: faultsOfBody(read.faults) }
}

/** The body as it came. @throws Invalid for what is not an object */
export function objectIn(body: unknown): Fields {
  if (isObject(body)) return body
  throw new Invalid('The body must be a JSON object.', [{ Field: '', Message: 'must be a JSON object' }])
}

/** Faults of a body, each at the member that is wrong. */
export const faultsOfBody = (faults: readonly FoundFault[]): readonly Fault[] =>
  faults.slice(0, MOST_FAULTS).map((fault) => ({ Field: fieldAt(fault.path), Message: wordsOf(fault) }))

function wordsOf({ path, reason, takes }: FoundFault): string {
  if (takes !== undefined)
    return `is unknown or assigned by the service; it takes ${takes.join(', ')}${meantName(String(path.at(-1)), takes)}`
  return reason === 'is missing' ? 'is required' : reason
}
