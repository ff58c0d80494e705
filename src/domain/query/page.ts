/** Which page of a list (docs/interface.md#list-parameters, docs/open-facts.md 35). */
import { Invalid, type Fault } from '../errors.ts'

export interface PageRequest {
  /** From 1. */
  readonly page: number
  /** 1 to 100. */
  readonly pageSize: number
}

const DEFAULT_PAGE_SIZE = 25
const MAX_PAGE_SIZE = 100

/**
 * The page asked for; by default the first, of 25 records. A size over 100 counts as 100.
 * @throws Invalid naming `page`, `pageSize` or both, for anything but decimal digits, for zero, and for a page so far
 *   out that its first record has no exact number
 */
export function parsePage(page: string | undefined, pageSize: string | undefined): PageRequest {
  const number = page === undefined ? 1 : readCount(page)
  const size = pageSize === undefined ? DEFAULT_PAGE_SIZE : readCount(pageSize)
  const clamped = Math.min(size ?? 1, MAX_PAGE_SIZE)
  const faults: Fault[] = []
  if (number === undefined) faults.push({ Field: 'page', Message: 'must be an integer of at least 1' })
  else if (!Number.isSafeInteger(number * clamped)) faults.push({ Field: 'page', Message: 'is too large' })
  if (size === undefined)
    faults.push({ Field: 'pageSize', Message: `must be an integer from 1 to ${MAX_PAGE_SIZE}` })
  if (number === undefined || faults.length > 0)
    throw new Invalid(faults.map(({ Field, Message }) => `${Field}: ${Message}`).join('; '), faults)
  return { page: number, pageSize: clamped }
}

function readCount(text: string): number | undefined {
  const value = /^[0-9]+$/.test(text) ? Number(text) : 0
  return value >= 1 ? value : undefined
}
