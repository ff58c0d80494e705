/** Texts in a path that only the service itself can have put there. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface SignedParts {
  sign(parts: readonly string[]): string
  /** Undefined for what was not signed here. */
  read(signed: string): readonly string[] | undefined
}

const FORM = /^([\w-]{1,1000})\.([\w-]{43})$/

/** @param keys newest first; the first signs, all verify */
export function signedParts(keys: readonly Buffer[]): SignedParts {
  const macOf = (text: string, key: Buffer) => createHmac('sha256', key).update(text).digest()
  return {
    sign(parts) {
      const text = Buffer.from(JSON.stringify(parts)).toString('base64url')
      return `${text}.${macOf(text, keys[0]!).toString('base64url')}`
    },
    read(signed) {
      const [, text = '', mac = ''] = FORM.exec(signed) ?? []
      const given = Buffer.from(mac, 'base64url')
      if (given.length !== 32 || !keys.some((key) => timingSafeEqual(macOf(text, key), given)))
        return undefined
      return JSON.parse(Buffer.from(text, 'base64url').toString()) as string[]
    },
  }
}
