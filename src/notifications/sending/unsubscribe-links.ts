/** Links by which a recipient leaves a category. What they say is signed, so that no one can leave in another's name. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Company } from '../../domain/events/event.ts'

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

const FORM = /^([\w-]{1,1000})\.([\w-]{43})$/

/** @param keys newest first; the first signs, all verify */
export function unsubscribeLinks(keys: readonly Buffer[]): UnsubscribeLinks {
  const macOf = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest()
  return {
    sign({ company, address, category }) {
      const text = Buffer.from(JSON.stringify([company, address, category])).toString('base64url')
      return `${text}.${macOf(text, keys[0]!).toString('base64url')}`
    },
    read(signed) {
      const [, text = '', mac = ''] = FORM.exec(signed) ?? []
      const given = Buffer.from(mac, 'base64url')
      if (given.length !== 32 || !keys.some((key) => timingSafeEqual(macOf(text, key), given)))
        return undefined
      const [company, address, category] = JSON.parse(Buffer.from(text, 'base64url').toString()) as string[]
      return { company: company!, address: address!, category: category! }
    },
  }
}
