/**
 * Names for new things: Keys that sort by creation, and event ids derived from the command, so that a command done
 * twice stores its events once.
 */
import { hash, randomFillSync, randomUUID } from 'node:crypto'
import { keyOf, uuid7 } from '../../domain/records/key.ts'
import type { Clock } from '../../ports/clock.ts'

export interface Identifiers {
  /** A Key that no other record has. Later ones of this process sort after earlier ones. */
  newKey(object: string): string
  /** A random UUID. */
  newCommand(): string
}

export function identifiers(clock: Clock): Identifiers {
  // Asking the system for many random bytes at once costs little more than asking for ten.
  const pool = new Uint8Array(10 * 400)
  let used = pool.length
  let last = 0
  let counter = 0
  return {
    newKey(object) {
      const now = clock.now()
      // Keys of one millisecond count on; when the clock stands or goes back, so do they.
      if (now > last) {
        last = now
        counter = 0
      } else if (++counter > 0xfff) {
        last++
        counter = 0
      }
      if (used === pool.length) {
        randomFillSync(pool)
        used = 0
      }
      const random = pool.subarray(used, (used += 10))
      random[0] = counter >>> 8
      random[1] = counter & 0xff
      return keyOf(object, uuid7(last, random))
    },
    newCommand: () => randomUUID(),
  }
}

/** The Key of the record that a repeatable command creates: the same whenever it is run. */
export function derivedKey(object: string, command: string, milliseconds: number): string {
  // As hex: Node makes a text of it for a third of what a buffer costs.
  const digest = hash('sha1', command, 'hex')
  for (let i = 0; i < random.length; i++) random[i] = (nibble(digest, 2 * i) << 4) | nibble(digest, 2 * i + 1)
  return keyOf(object, uuid7(milliseconds, random))
}

/** What `derivedKey` fills for `uuid7`, which copies it. */
const random = new Uint8Array(10)

/** The value of a digit of hex: `0` is 48, `a` is 97. */
function nibble(digest: string, at: number): number {
  const code = digest.charCodeAt(at)
  return code < 58 ? code - 48 : code - 87
}

/** UUIDv5 of a name among Daybook's own names. */
export function derivedId(name: string): string {
  const digest = hash('sha1', `daybook:${name}`, 'hex')
  const variant = '89ab'[parseInt(digest[16]!, 16) & 3]!
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-${variant}${digest.slice(17, 20)}-${digest.slice(20, 32)}`
}

/** The id of the event at this index of what the command appends to the stream. */
export function eventId(command: string, stream: string, index: number): string {
  return derivedId(`${command}/${stream}/${index}`)
}
