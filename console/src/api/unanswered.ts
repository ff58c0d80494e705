/**
 * The idempotency key of a write: made before it is first sent, and kept until it is answered. The same write, sent again
 * after no answer or a failure of the service, carries the same key, so that it is done once.
 */

const keys = new Map<string, string>()

/** @param write what makes it this write and no other */
export function keyOfWrite(write: string): string {
  const key = keys.get(write) ?? newKey()
  keys.set(write, key)
  return key
}

/** What became of the write is known now: the same one again is meant as another. */
export function forgetWrite(write: string): void {
  keys.delete(write)
}

export function isAnswered(status: number): boolean {
  return status < 500 && status !== 408 && status !== 429
}

/** 128 random bits. `randomUUID` is missing on plain http. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
}
