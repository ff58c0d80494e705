/**
 * Positions as clients see them: tokens that say nothing, of which nobody can make one, and which only the company that
 * they were given to can send back (docs/decisions/positions-for-clients.md).
 *
 * One block of AES with a key of the company's own: what is not a token of this company decrypts to chance, and chance does
 * not have zeros and the log's name where they belong. The same position is the same token each time.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac } from 'node:crypto'
import type { Company, Position } from '../../domain/events/event.ts'
import { shardOf } from '../../domain/events/stream-name.ts'
import { recentlyUsed } from '../../domain/recently-used.ts'

export interface PositionTokens {
  /** `of`: what the token stands for; only that reads it. */
  write(company: Company, of: string, position: Position): string
  /** The position; or why the token has none for this company: it is not one of its own, or is of another log. */
  read(company: Company, of: string, token: string): Position | 'unknown' | 'other log'
}

export interface PositionTokensOptions {
  /** Keys of 32 bytes: the first writes, all read. Asked for once, when the first token is made or read. */
  readonly keys: () => readonly Buffer[]
  /** The identity of the log; asked for as late. */
  readonly log: () => string
}

const VERSION = 1
const BLOCK_BYTES = 16
/** Where in the block: the log's name, zeros, the shard, the position. */
const AT = { log: 0, zeros: 4, shard: 8, position: 9 }
const POSITION_BYTES = BLOCK_BYTES - AT.position
/** The version and the block, in base64url. */
export const POSITION_TOKEN = /^[\w-]{23}$/
/** Ciphers that are kept, of companies and purposes. */
const REMEMBERED = 2_000

interface BlockCipher {
  /** Of 16 bytes, as often as is wanted: blocks do not depend on each other. */
  seal(block: Buffer): Buffer
  open(block: Buffer): Buffer
}

export function positionTokens({ keys, log }: PositionTokensOptions): PositionTokens {
  let known: { readonly ring: readonly Buffer[]; readonly log: Buffer } | undefined
  const knowing = () =>
    (known ??= {
      ring: keys(),
      log: createHash('sha256').update(log()).digest().subarray(0, AT.zeros),
    })
  const ciphers = recentlyUsed<readonly BlockCipher[]>(REMEMBERED)
  const ciphersOf = (company: Company, of: string): readonly BlockCipher[] => {
    const name = `${VERSION} ${company.length} ${company} ${of}`
    let own = ciphers.get(name)
    if (!own) ciphers.set(name, (own = knowing().ring.map((key) => blockCipher(key, name))))
    return own
  }

  return {
    write(company, of, position) {
      const block = Buffer.alloc(BLOCK_BYTES)
      knowing().log.copy(block, AT.log)
      block[AT.shard] = Number.parseInt(shardOf(company), 16)
      // More than 6 bytes are not written at once.
      block.writeUIntBE(Math.floor(position / 2 ** 32), AT.position, POSITION_BYTES - 4)
      block.writeUInt32BE(position % 2 ** 32, BLOCK_BYTES - 4)
      const sealed = ciphersOf(company, of)[0]!.seal(block)
      return Buffer.concat([Buffer.of(VERSION), sealed]).toString('base64url')
    },

    read(company, of, token) {
      const bytes = Buffer.from(POSITION_TOKEN.test(token) ? token : '', 'base64url')
      // One text a token: the last character holds bits that decoding passes over.
      if (bytes[0] !== VERSION || bytes.toString('base64url') !== token) return 'unknown'
      for (const cipher of ciphersOf(company, of)) {
        const block = cipher.open(bytes.subarray(1))
        if (block.readUInt32BE(AT.zeros) !== 0) continue
        if (!block.subarray(AT.log, AT.zeros).equals(knowing().log)) return 'other log'
        const high = block.readUIntBE(AT.position, POSITION_BYTES - 4)
        return high * 2 ** 32 + block.readUInt32BE(BLOCK_BYTES - 4)
      }
      return 'unknown'
    },
  }
}

function blockCipher(master: Buffer, name: string): BlockCipher {
  const key = createHmac('sha256', master).update(name).digest()
  const sealing = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  const opening = createDecipheriv('aes-256-ecb', key, null).setAutoPadding(false)
  return { seal: (block) => sealing.update(block), open: (block) => opening.update(block) }
}
