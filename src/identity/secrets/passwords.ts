/**
 * Passwords, stored as argon2id (RFC 9106) in PHC form. They are hashed on Node's thread pool, one at a time and in fair
 * turns (`hash-turns.ts`), so that a flood of logins leaves the event loop and most of the machine to other requests.
 *
 * Without a stored hash, checking takes as long as with one, and always fails.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import type { Fault } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import { HashTurns } from './hash-turns.ts'

export interface Passwords {
  /**
   * The hash of a new password. It waits in the company's turns, after all logins.
   * @throws Busy when too many are waiting
   */
  hash(password: string, company: Company): Promise<string>
  /**
   * Whether this is the password; without a hash it never is. It waits in the company's turns.
   * @throws Busy when too many are waiting
   */
  verify(password: string, hash: string | undefined, company: Company): Promise<boolean>
}

/** What OWASP recommends: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG_BYTES = 32
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

/** In characters. */
const SHORTEST = 8
export const LONGEST_PASSWORD = 256

/** A new password in a body. */
export const newPassword = z
  .string()
  .refine((password) => isLongEnough(password), {
    error: `must have ${SHORTEST} to ${LONGEST_PASSWORD} characters`,
  })
  .meta({ minLength: SHORTEST, maxLength: LONGEST_PASSWORD })

function isLongEnough(password: string): boolean {
  const { length } = [...password.slice(0, 2 * LONGEST_PASSWORD + 2)]
  return length >= SHORTEST && length <= LONGEST_PASSWORD
}

/** What is wrong with a new password, if anything. */
export function passwordFault(field: string, password: unknown): Fault | undefined {
  if (typeof password !== 'string') return { Field: field, Message: 'must be text' }
  if (isLongEnough(password)) return undefined
  return { Field: field, Message: `must have ${SHORTEST} to ${LONGEST_PASSWORD} characters` }
}

export function passwords(): Passwords {
  const turns = new HashTurns()
  const nobody = phc(COST, randomBytes(16), randomBytes(TAG_BYTES))
  return {
    hash: (password, company) =>
      turns.run({ purpose: 'administration', company }, async () => {
        const nonce = randomBytes(16)
        return phc(COST, nonce, await derived(password, nonce, COST))
      }),
    verify: (password, hash, company) =>
      turns.run({ purpose: 'login', company }, async () => {
        const known = PHC.exec(hash ?? nobody)
        if (!known) throw new Error('a stored password hash has an unknown form')
        const [, memory, passes, parallelism, nonce = '', tag = ''] = known
        const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
        const expected = Buffer.from(tag, 'base64')
        const actual = await derived(password, Buffer.from(nonce, 'base64'), cost, expected.length)
        return timingSafeEqual(actual, expected) && hash !== undefined
      }),
  }
}

function derived(
  password: string,
  nonce: Uint8Array,
  cost: typeof COST,
  tagLength = TAG_BYTES,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Compared after NFKC: keyboards compose the same letters differently.
    const message = password.normalize('NFKC')
    argon2('argon2id', { message, nonce, tagLength, ...cost }, (error, tag) =>
      error ? reject(error) : resolve(tag),
    )
  })
}

function phc({ memory, passes, parallelism }: typeof COST, salt: Buffer, tag: Buffer): string {
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`
}
