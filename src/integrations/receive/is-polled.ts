/** Whether the entry of a file reads only what is polled. What is polled is a state, and can be taken over once more. */
import type { Received } from '../definition/receive-schema.ts'

export const isPolled = ({ verify }: Pick<Received, 'verify'>): boolean =>
  verify.some((scheme) => 'polled' in scheme)
