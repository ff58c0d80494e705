/** A delivery as a message: what it says stays readable to older and newer processes on the same queues. */
import type { ConsumeMessage } from 'amqplib'
import type { Delivery } from '../../ports/delivery-queue.ts'

export interface Hint {
  readonly delivery: Delivery
  /** How often in a row it has failed until now. */
  readonly failures: number
}

/** Failures that a handler told of; those that a consumer died over are counted by the broker. */
const FAILURES = 'daybook-failures'
const REDELIVERIES = 'x-delivery-count'

export function encodeHint({ delivery: { id, endpoint, company }, failures }: Hint): {
  readonly content: Buffer
  readonly headers: Record<string, unknown>
} {
  return {
    content: Buffer.from(JSON.stringify({ id, endpoint, company })),
    headers: failures > 0 ? { [FAILURES]: failures } : {},
  }
}

/** Undefined for what is no hint. */
export function decodeHint({ content, properties }: ConsumeMessage): Hint | undefined {
  let body: unknown
  try {
    body = JSON.parse(content.toString())
  } catch {
    return undefined
  }
  const { id, endpoint, company } = (body ?? {}) as Record<string, unknown>
  if (typeof id !== 'string' || typeof endpoint !== 'string' || typeof company !== 'string') return undefined
  const failures = count(properties.headers?.[FAILURES]) + count(properties.headers?.[REDELIVERIES])
  return { delivery: { id, endpoint, company }, failures }
}

const count = (header: unknown): number => (typeof header === 'number' ? header : 0)
