/** Compares secrets in constant time, whatever their lengths. */
import { createHash, timingSafeEqual } from 'node:crypto'

export function isEqual(given: string | Uint8Array, secret: string | Uint8Array): boolean {
  return timingSafeEqual(sha256(given), sha256(secret))
}

function sha256(value: string | Uint8Array): Buffer {
  return createHash('sha256').update(value).digest()
}
