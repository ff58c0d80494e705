/**
 * How every write is answered: it runs once for an `Idempotency-Key`, for the caller of the request, and sends
 * what was answered the first time when it comes again.
 */
import type { Request, RequestHandler, Response } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { Idempotency, RecordedAnswer } from '../../commands/support/idempotency.ts'
import type { Sealer } from '../../identity/secrets/sealed-secrets.ts'
import { WRITES, type HeaderParameter } from '../http/header-parameters.ts'
import { dryRunOf } from './dry-run.ts'
import { noParameters, parametersOf } from './list-query.ts'
import { callerOf, fingerprintOf, idempotencyKeyOf } from '../http/request-context.ts'
import { sendJson } from '../http/send.ts'

/** Does what the request asks for; run again for the same `Idempotency-Key`, it comes to the same. */
export type Run = (caller: Caller, request: Request, response: Response) => Promise<RecordedAnswer>

/** Makes the handler of a write. `forHeaders`: the parameters that it takes in place of headers. */
export type Answering = (run: Run, forHeaders?: readonly HeaderParameter[]) => RequestHandler

/**
 * Makes handlers of writes.
 * @param sealer for answers that hold secrets
 */
export function answers(idempotency: Idempotency, sealer?: Sealer): Answering {
  return (run, forHeaders = WRITES) =>
    async (request, response) => {
      noParameters(request, forHeaders)
      await answerOnce(idempotency, sealer, run, callerOf(request, response), request, response)
    }
}

/** The same for writes that take these query parameters, too. */
export function answersWith(idempotency: Idempotency, known: readonly string[]): Answering {
  return (run, forHeaders = WRITES) =>
    async (request, response) => {
      parametersOf(request, known, forHeaders)
      await answerOnce(idempotency, undefined, run, callerOf(request, response), request, response)
    }
}

/** The same for writes that `?dryRun=true` may ask of: those are judged only, and their `Idempotency-Key` stays unused. */
export function judgedAnswers(idempotency: Idempotency): Answering {
  return (run, forHeaders = WRITES) =>
    async (request, response) => {
      const dryRun = dryRunOf(request, forHeaders)
      const caller = callerOf(request, response)
      if (!dryRun) return answerOnce(idempotency, undefined, run, caller, request, response)
      idempotencyKeyOf(request)
      const { body } = await run({ ...caller, dryRun }, request, response)
      sendJson(response, 200, body, { 'Daybook-Dry-Run': 'true' })
    }
}

async function answerOnce(
  idempotency: Idempotency,
  sealer: Sealer | undefined,
  run: Run,
  caller: Caller,
  request: Request,
  response: Response,
): Promise<void> {
  const idempotencyKey = idempotencyKeyOf(request)
  if (idempotencyKey === undefined) {
    const { status, headers, body } = await run(caller, request, response)
    return sendJson(response, status, body, headers)
  }
  const { company, actor } = caller
  const owner = JSON.stringify([company, actor, idempotencyKey])
  const repeatable = { caller, idempotencyKey, fingerprint: fingerprintOf(request) }
  const answer = await idempotency.once(repeatable, async (once) => {
    const given = await run(once, request, response)
    return sealer ? { ...given, body: sealer.seal(given.body, owner) } : given
  })
  const body = sealer ? sealer.open(answer.body, owner) : answer.body
  const replayed = answer.repeated ? { 'Idempotency-Replayed': 'true' } : {}
  sendJson(response, answer.status, body, { ...answer.headers, ...replayed })
}
