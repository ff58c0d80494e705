/**
 * Tokens of the changes feed: a position, bound to the company and the object that it was given for. Nobody can make one, or
 * use one elsewhere.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalid } from '../../domain/errors.ts'
import type { Company, Position } from '../../domain/events/event.ts'

export interface ChangesTokens {
  write(company: Company, object: string, position: Position): string
  /** @throws Invalid naming `since` when it was not written for this company and object */
  read(company: Company, object: string, token: string): Position
}

const POSITION_BYTES = 8
const MAC_BYTES = 16
const SHAPE = /^[\w-]{32}$/

/** @param keys asked for each time, as they are not known before the service is ready; the first writes, all read */
export function changesTokens(keys: () => readonly Buffer[]): ChangesTokens {
  const seal = (key: Buffer, company: Company, object: string, position: Buffer) =>
    createHmac('sha256', key)
      .update(JSON.stringify([company, object]))
      .update(position)
      .digest()
      .subarray(0, MAC_BYTES)
  return {
    write(company, object, position) {
      const bytes = Buffer.alloc(POSITION_BYTES)
      bytes.writeBigUInt64BE(BigInt(position))
      return Buffer.concat([bytes, seal(keys()[0]!, company, object, bytes)]).toString('base64url')
    },
    read(company, object, token) {
      const bytes = Buffer.from(SHAPE.test(token) ? token : '', 'base64url')
      const position = bytes.subarray(0, POSITION_BYTES)
      const mac = bytes.subarray(POSITION_BYTES)
      const isOurs = (key: Buffer) => timingSafeEqual(mac, seal(key, company, object, position))
      if (mac.length !== MAC_BYTES || !keys().some(isOurs))
        throw invalid('since', 'is not a token of this feed; start again without it, or with now')
      return Number(position.readBigUInt64BE())
    },
  }
}
