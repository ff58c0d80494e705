/** A hint as a message, readable to older and newer processes on the same queues. */
import type { Hint } from '../../ports/hints.ts'

export function encodeHint({ endpoint, company }: Hint): Buffer {
  return Buffer.from(JSON.stringify({ endpoint, company }))
}

/** Undefined when the message is not a hint. */
export function decodeHint(content: Buffer): Hint | undefined {
  let body: unknown
  try {
    body = JSON.parse(content.toString())
  } catch {
    return undefined
  }
  const { endpoint, company } = (body ?? {}) as Record<string, unknown>
  return typeof endpoint === 'string' && typeof company === 'string' ? { endpoint, company } : undefined
}
