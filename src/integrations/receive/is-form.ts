/** Whether an entry takes forms: those prove nothing, and have an address of their own. */
import type { Received } from '../definition/receive-schema.ts'

export const isForm = ({ verify }: Pick<Received, 'verify'>): boolean =>
  verify.some((scheme) => 'form' in scheme)
