/**
 * Proof that a form was filled in by somebody who had time: a challenge that is signed, given out with the form, and answered by
 * some work of the browser. Nothing is kept for it.
 */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { isEqual } from '../verify/equal.ts'

/** Work of about a tenth of a second for a browser. */
export const BITS = 14
/** A form may lie open for so long. */
const LONGEST_MS = 4 * 3_600_000
/** No person reads and fills in a form faster. */
const SHORTEST_MS = 2_000

/** @param key what challenges are signed with */
export function newChallenge(key: Uint8Array, form: string, now: number): string {
  const text = `${now.toString(36)}.${randomBytes(9).toString('base64url')}`
  return `${text}.${signatureOf(key, form, text)}`
}

/** Why the proof counts for nothing; undefined where it counts. @param keys newest first */
export function doubtOfProof(
  keys: readonly Uint8Array[],
  form: string,
  proof: { readonly challenge: unknown; readonly answer: unknown },
  now: number,
): string | undefined {
  const { challenge } = proof
  const answer = typeof proof.answer === 'number' ? String(proof.answer) : proof.answer
  if (typeof challenge !== 'string' || typeof answer !== 'string') return 'it has no proof of work'
  const [, text = '', at = '', signature = ''] =
    /^(([0-9a-z]{1,12})\.[\w-]{12})\.([\w-]{22})$/.exec(challenge) ?? []
  if (!keys.some((key) => isEqual(signature, signatureOf(key, form, text))))
    return 'its challenge is not ours'
  const age = now - parseInt(at, 36)
  if (age > LONGEST_MS) return 'its challenge is too old'
  if (age < SHORTEST_MS) return 'it was sent faster than anybody can fill it in'
  const digest = createHash('sha256').update(`${challenge}.${answer}`).digest()
  return answer.length <= 20 && digest.readUInt32BE(0) >>> (32 - BITS) === 0
    ? undefined
    : 'its proof of work is wrong'
}

function signatureOf(key: Uint8Array, form: string, text: string): string {
  return createHmac('sha256', key).update(`${form} ${text}`).digest('base64url').slice(0, 22)
}
