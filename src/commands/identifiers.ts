/**
 * Names for new things: Keys that sort by creation, and event ids derived from the command, so that a command done
 * twice stores its events once.
 */
import { createHash, randomFillSync, randomUUID } from 'node:crypto'
import { keyOf, uuid7 } from '../domain/key.ts'
import type { Clock } from '../ports/clock.ts'

export interface Identifiers {
  /** A Key that no other record has. Later ones of this process sort after earlier ones. */
  newKey(object: string): string
  /** A random UUID. */
  newCommand(): string
}

export function identifiers(clock: Clock): Identifiers {
  const random = new Uint8Array(10)
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
      randomFillSync(random)
      random[0] = counter >>> 8
      random[1] = counter & 0xff
      return keyOf(object, uuid7(last, random))
    },
    newCommand: () => randomUUID(),
  }
}

/** The Key of the record that a repeatable command creates: the same whenever it is run. */
export function derivedKey(object: string, command: string, milliseconds: number): string {
  return keyOf(object, uuid7(milliseconds, createHash('sha1').update(command).digest().subarray(0, 10)))
}

const NAMESPACE = Buffer.from('6f1c7a0e5a0b4e0f9d5b3c2a1d4e8f70', 'hex')

/** UUIDv5 of a name in Daybook's own namespace. */
export function derivedId(name: string): string {
  const hash = createHash('sha1').update(NAMESPACE).update(name).digest('hex')
  const variant = ((parseInt(hash.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-5${hash.slice(13, 16)}-${variant}${hash.slice(18, 20)}-${hash.slice(20, 32)}`
}

/** The id of the event at this index of what the command appends to the stream. */
export function eventId(command: string, stream: string, index: number): string {
  return derivedId(`${command}/${stream}/${index}`)
}
