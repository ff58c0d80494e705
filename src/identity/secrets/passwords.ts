/**
 * Passwords, kept as argon2id (RFC 9106) in PHC form. Hashing is done on Node's thread pool, few at a time, so that a flood
 * of logins leaves the event loop and most of the machine to other requests; past the queue it is refused.
 *
 * To check against nothing takes as long as to check against a hash, and always fails.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { Busy, type Fault } from '../../domain/errors.ts'

export interface Passwords {
  /** @throws Busy when too many are waiting */
  hash(password: string): Promise<string>
  /**
   * Whether this is the password; without a hash it never is.
   * @throws Busy when too many are waiting
   */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

export interface PasswordsOptions {
  /** How many are hashed at the same time. */
  readonly concurrency?: number
  /** How many may wait. */
  readonly waiting?: number
}

/** What OWASP recommends: 19 MiB, two passes, one lane. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG_BYTES = 32
const PHC = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

/** In characters. */
const SHORTEST = 8
export const LONGEST_PASSWORD = 256

/** What is wrong with a new password. */
export function passwordFault(field: string, password: unknown): Fault | undefined {
  if (typeof password !== 'string') return { Field: field, Message: 'must be text' }
  const { length } = [...password.slice(0, 2 * LONGEST_PASSWORD + 2)]
  if (length >= SHORTEST && length <= LONGEST_PASSWORD) return undefined
  return { Field: field, Message: `must have ${SHORTEST} to ${LONGEST_PASSWORD} characters` }
}

export function passwords({ concurrency = 1, waiting = 50 }: PasswordsOptions = {}): Passwords {
  const queue: (() => void)[] = []
  let running = 0

  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= concurrency) {
      if (queue.length >= waiting) throw new Busy('too many passwords are waiting to be checked')
      await new Promise<void>((go) => queue.push(go))
    } else running++
    try {
      return await work()
    } finally {
      // The place goes to the next that waits.
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }

  const salt = randomBytes(16)
  const nobody = phc(COST, salt, randomBytes(TAG_BYTES))

  return {
    hash: (password) =>
      inTurn(async () => {
        const nonce = randomBytes(16)
        return phc(COST, nonce, await derived(password, nonce, COST))
      }),
    verify: (password, hash) =>
      inTurn(async () => {
        const known = PHC.exec(hash ?? nobody)
        if (!known) throw new Error('a stored password is in no form that is known')
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
    // The same letters are the same password, however a keyboard composes them.
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
