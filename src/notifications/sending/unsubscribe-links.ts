/** Links by which a recipient leaves a category. What they say is signed, so that no one can leave in another's name. */
import type { Company } from '../../domain/events/event.ts'
import { signedParts } from './signed-parts.ts'

export interface Unsubscribing {
  readonly company: Company
  readonly address: string
  readonly category: string
}

export interface UnsubscribeLinks {
  /** What stands after `/u/`. */
  sign(unsubscribing: Unsubscribing): string
  /** Undefined for what was not signed here. */
  read(signed: string): Unsubscribing | undefined
}

/** @param keys newest first; the first signs, all verify */
export function unsubscribeLinks(keys: readonly Buffer[]): UnsubscribeLinks {
  const parts = signedParts(keys)
  return {
    sign: ({ company, address, category }) => parts.sign([company, address, category]),
    read(signed) {
      const [company, address, category] = parts.read(signed) ?? []
      return company === undefined ? undefined : { company, address: address!, category: category! }
    },
  }
}
