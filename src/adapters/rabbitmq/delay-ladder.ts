/**
 * Delays by queues that messages wait in until they expire, each with one time to live.
 *
 * RabbitMQ expires only the head of a queue, so messages of different delays in one queue would hold one another up. The
 * ladder has one queue for each power of two; a delay is a sum of them, and a message waits in one queue for each bit
 * that is set, longest first. The exchange of a level looks at its own bit in the routing key and sends the message to
 * its queue or past it, to the exchange of the level below; the broker does all this without a consumer.
 *
 *     exchange 19 ──1──► queue 19 (18 h) ──expired──► exchange 18 ──1──► queue 18 … ──► exchange 0 ──► work
 *                └──0───────────────────────────────►
 *
 * Delays are rounded up to six significant bits: at most six hops, and at most about 3 % late.
 */
import { delayOf } from '../../ports/delivery-queue.ts'

/** Time to live of the lowest queue, in milliseconds; each next one has twice that. */
const UNIT_MS = 125
/** Enough for `LONGEST_DELAY_MS`, rounded up. */
export const LEVELS = 20
const SIGNIFICANT_BITS = 6

export interface DelayRoute {
  /** The highest level whose bit is set: where the message enters. */
  readonly level: number
  /** One word, 0 or 1, for each level from the highest down. */
  readonly key: string
}

/** The way of a message that is to be delayed; undefined when it is due at once. @throws RangeError */
export function delayRoute(delayMs?: number): DelayRoute | undefined {
  const exact = Math.ceil(delayOf(delayMs) / UNIT_MS)
  if (exact === 0) return undefined
  const step = 2 ** Math.max(0, bitsOf(exact) - SIGNIFICANT_BITS)
  const units = Math.ceil(exact / step) * step
  return {
    level: bitsOf(units) - 1,
    key: [...units.toString(2).padStart(LEVELS, '0')].join('.'),
  }
}

/** How long messages wait in the queue of a level. */
export const timeToLive = (level: number): number => UNIT_MS * 2 ** level

/** What the exchange of a level matches: the word of that level, whatever the others are. */
export const bindingKey = (level: number, bit: '0' | '1'): string =>
  [...Array.from({ length: LEVELS - 1 - level }, () => '*'), bit, '#'].join('.')

/** The delay that a route really makes, in milliseconds. */
export const delayBy = ({ key }: DelayRoute): number => Number.parseInt(key.replaceAll('.', ''), 2) * UNIT_MS

const bitsOf = (units: number): number => 32 - Math.clz32(units)
