/** What every refusal looks like, whoever provoked it and however: the Error wrapper, and nothing of what is inside. */
import { expect } from 'chai'
import type { Answer } from '../../support/service.ts'

const CODES: { readonly [status: number]: string } = {
  400: 'VALIDATION_ERROR',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'VALIDATION_ERROR',
  408: 'VALIDATION_ERROR',
  409: 'CONFLICT',
  412: 'CONFLICT',
  413: 'VALIDATION_ERROR',
  415: 'VALIDATION_ERROR',
  417: 'VALIDATION_ERROR',
  429: 'RATE_LIMITED',
  431: 'VALIDATION_ERROR',
}

/** Stack frames, paths, SQL, names of what the service is made of. */
const INSIDE = [
  /\.(ts|js|mjs|cjs|db):?\d*\b/,
  /\n\s+at /,
  /node_modules|node:/,
  /\/(src|work|home|tmp|usr|root)\//,
  /sqlite|express|body-parser/i,
  /\b(SELECT|INSERT|UPDATE|DELETE) .*\b(FROM|INTO|SET)\b/,
  /\b(TypeError|RangeError|SyntaxError|ReferenceError)\b/,
]

/** Longer than any message needs, so that a refusal is never a way to have megabytes sent back. */
const LONGEST = 100_000

/** The answer refuses with one of the statuses, as docs/interface.md#error-codes has it. */
export function expectRefusal(answer: Answer | undefined, statuses: readonly number[], tried: string): void {
  if (!answer) throw new Error(`no answer to ${tried.slice(0, 200)}`)
  const shown = `${tried.slice(0, 200)}: ${answer.status} ${answer.text.slice(0, 300)}`
  expect(answer.status, shown).to.be.oneOf(statuses)
  expect(answer.text, shown).not.to.equal('')
  expect(answer.json, shown).to.have.all.keys('Success', 'Error').and.to.include({ Success: false })
  expect(answer.error, shown).to.have.all.keys('Code', 'Message', 'Details')
  expect(answer.error.Code, shown).to.equal(CODES[answer.status])
  for (const detail of answer.error.Details) expect(detail, shown).to.have.all.keys('Field', 'Message')
  expect(answer.text.length, shown).to.be.below(LONGEST)
  for (const pattern of INSIDE) expect(answer.text, shown).not.to.match(pattern)
}
