/** What an answer means for what was sent. */
import type { Called } from '../calls/call.ts'
import { FOR_PERSON_MS } from '../calls/later.ts'

export type Outcome =
  | { readonly kind: 'done' }
  /** It is not its turn, or a person has to do something first: it does not count. */
  | {
      readonly kind: 'held'
      readonly detail: string
      readonly ms: number
      readonly isForPerson?: true
    }
  /** It is tried again. `isUnclear`: it may have been done all the same. */
  | { readonly kind: 'again'; readonly detail: string; readonly isUnclear: boolean }
  /** The other system does not take it, however often it is sent. */
  | { readonly kind: 'refused'; readonly detail: string }

/** Statuses that pass, of which nothing was done. */
const PASSING: ReadonlySet<number> = new Set([409, 423, 425])
const FOR_PERSON = { ms: FOR_PERSON_MS, isForPerson: true } as const

/** @param good statuses beside 2xx */
export function outcomeOf(called: Called, good: readonly number[]): Outcome {
  if (called.kind === 'held') return { kind: 'held', detail: called.detail, ms: called.ms }
  if (called.kind === 'failed') return { kind: 'again', detail: called.detail, isUnclear: called.isUnclear }
  if (called.kind === 'refused') return { kind: 'held', detail: called.detail, ...FOR_PERSON }
  const { status, text } = called
  const detail = `the other system answers ${status}: ${text.slice(0, 500)}`
  if ((status >= 200 && status < 300) || good.includes(status)) return { kind: 'done' }
  if (status === 401 || status === 403) return { kind: 'held', detail, ...FOR_PERSON }
  if (PASSING.has(status)) return { kind: 'again', detail, isUnclear: false }
  if (status === 408 || status >= 500 || status < 400) return { kind: 'again', detail, isUnclear: true }
  return { kind: 'refused', detail }
}
