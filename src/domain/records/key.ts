/**
 * Keys: `<object>-<suffix>`, the only way to name a record outside and inside (docs/interface.md#keys). The suffix is a
 * UUIDv7 as 26 letters of Crockford's base32 in lowercase: opaque to readers, ordered by time for indexes.
 */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const SHAPE = /^[a-z][a-z0-9]*-[0-7][0-9a-hjkmnp-tv-z]{25}$/
const SUFFIX = 26

/** The Key of a record of `object` whose suffix is made of these 16 bytes. */
export function keyOf(object: string, uuid: Uint8Array): string {
  if (uuid.length !== 16) throw new RangeError('a Key is made of 16 bytes')
  // 128 bits as 26 groups of five, the first holding the three that are over.
  let suffix = ''
  let bits = 2
  let buffer = 0
  for (const byte of uuid) {
    buffer = (buffer << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      suffix += ALPHABET[(buffer >>> bits) & 31]
    }
    buffer &= (1 << bits) - 1
  }
  return `${object}-${suffix}`
}

/** The object that a Key names, or undefined when the text has not the shape of a Key. */
export function objectOfKey(key: string): string | undefined {
  // Each event is asked often: a test is cheaper than a match.
  return SHAPE.test(key) ? key.slice(0, -1 - SUFFIX) : undefined
}

/** Whether the text has the shape of a Key of that object. */
export function isKeyOf(object: string, key: string): boolean {
  return objectOfKey(key) === object
}

/**
 * UUIDv7 bytes for a time in milliseconds and 10 random bytes. Within one millisecond callers add a counter to the
 * first random bytes to keep the order of creation; see `identifiers` in `commands/support/identifiers.ts`.
 */
export function uuid7(milliseconds: number, random: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(16)
  for (let i = 5, rest = milliseconds; i >= 0; i--, rest = Math.floor(rest / 256)) bytes[i] = rest % 256
  for (let i = 0; i < 10; i++) bytes[6 + i] = random[i]!
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes
}
