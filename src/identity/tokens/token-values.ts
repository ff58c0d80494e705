/**
 * Values of API tokens: random, shown once, kept as SHA-256 only. A stream of the value's hash leads to the token, whose
 * company nobody knows before; the token itself has to bear the hash out.
 */
import { createHmac, hash, randomBytes } from 'node:crypto'
import { appendIfFirst } from '../../commands/support/append-if-first.ts'
import { ownEvent } from '../../commands/support/own-event.ts'
import { SYSTEM, type Company } from '../../domain/events/event.ts'
import type { EventStore } from '../../ports/event-store.ts'

/** Where the token is that has a value. */
export interface TokenPlace {
  readonly company: Company
  readonly key: string
}

export interface TokenPlaces {
  /** Leads from the hash of a value to the token; before the token gets it. */
  point(hash: string, place: TokenPlace, by: { readonly command: string; readonly at: string }): Promise<void>
  find(hash: string): Promise<TokenPlace | undefined>
}

const PREFIX = 'daybook_'
const HINT_LENGTH = 4

/**
 * A value that nobody guesses.
 * @param repeatable what makes the same value when the same request is run again, and the key that keeps it from others
 */
export function newTokenValue(repeatable?: { readonly command: string; readonly key: Uint8Array }): string {
  const random = repeatable
    ? createHmac('sha256', repeatable.key).update(repeatable.command).digest().subarray(0, 24)
    : randomBytes(24)
  return `${PREFIX}${random.toString('base64url')}`
}

export function tokenHash(value: string): string {
  return hash('sha256', value)
}

/** How a value ends: enough to tell tokens apart. */
export function tokenHint(value: string): string {
  return `…${value.slice(-HINT_LENGTH)}`
}

export function tokenPlaces(events: Pick<EventStore, 'append' | 'read'>): TokenPlaces {
  const streamOf = (hash: string) => `tokenvalue-${hash}`
  return {
    async point(hash, { company, key }, { command, at }) {
      const stream = streamOf(hash)
      const data = { Company: company, Token: key }
      const event = ownEvent({ stream, type: 'tokenvalue.made', data, at, command, name: 'point' })
      // A request that is run again finds what it has stored.
      await appendIfFirst(events, { company: SYSTEM, stream, expected: 0, events: [event] })
    },
    async find(hash) {
      const [made] = await events.read(SYSTEM, streamOf(hash))
      return made && { company: made.data['Company'] as string, key: made.data['Token'] as string }
    },
  }
}
