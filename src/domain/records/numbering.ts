/** Numbers that the service assigns, such as `CON-2026-0001` (docs/interface.md#contract-record). */
import type { Numbering } from '../definition.ts'

/** The number for a place in the sequence of a year. Longer sequences are not cut. */
export function formatNumber({ pattern, digits }: Numbering, year: number, sequence: number): string {
  return pattern.replace('{year}', String(year)).replace('{sequence}', String(sequence).padStart(digits, '0'))
}
