/**
 * Values of API tokens: random, shown once, stored as SHA-256 only. A stream named after the hash leads to the token and
 * its company. It proves nothing by itself: the token must have the same hash.
 */
import { createHmac, hash, randomBytes } from 'node:crypto'
import { appendIfFirst } from '../../commands/support/append-if-first.ts'
import { ownEvent } from '../../commands/support/own-event.ts'
import { SYSTEM, type Company } from '../../domain/events/event.ts'
import type { EventStore } from '../../ports/event-store.ts'

/** The token that has a value. */
export interface TokenPlace {
  readonly company: Company
  readonly key: string
}

export interface TokenPlaces {
  /** Makes the hash of a value lead to the token; done before the token gets the value. */
  point(
    hash: string,
    place: TokenPlace,
    by: { readonly command: string; readonly now: number },
  ): Promise<void>
  find(hash: string): Promise<TokenPlace | undefined>
}

const PREFIX = 'daybook_'
const HINT_LENGTH = 4

/**
 * A value that cannot be guessed.
 * @param repeatable makes the same value when the same command is run again; the key keeps it secret
 */
export function newTokenValue(repeatable?: Repeatable): string {
  return `${PREFIX}${randomText(repeatable)}`
}

export interface Repeatable {
  readonly command: string
  readonly key: Uint8Array
}

/** 32 letters that cannot be guessed; the same ones again for the same command and key. */
export function randomText(repeatable?: Repeatable): string {
  const random = repeatable
    ? createHmac('sha256', repeatable.key).update(repeatable.command).digest().subarray(0, 24)
    : randomBytes(24)
  return random.toString('base64url')
}

export function tokenHash(value: string): string {
  return hash('sha256', value)
}

/** The end of a value, to distinguish tokens. */
export function tokenHint(value: string): string {
  return `…${value.slice(-HINT_LENGTH)}`
}

export function tokenPlaces(events: Pick<EventStore, 'append' | 'read'>): TokenPlaces {
  const streamOf = (hash: string) => `tokenvalue-${hash}`
  return {
    async point(hash, { company, key }, { command, now }) {
      const stream = streamOf(hash)
      const data = { Company: company, Token: key }
      const event = ownEvent({ stream, type: 'tokenvalue.made', data, now, command, name: 'point' })
      // A request that is run again finds its own event.
      await appendIfFirst(events, { company: SYSTEM, stream, expected: 0, events: [event] })
    },
    async find(hash) {
      const [made] = await events.read(SYSTEM, streamOf(hash))
      return made && { company: made.data['Company'] as string, key: made.data['Token'] as string }
    },
  }
}
