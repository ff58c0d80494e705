/** What lines of bank accounts are for: proposals, and matching, by hand and again (docs/bank.md). */
import { Router, type RequestHandler, type Response } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { Idempotency } from '../../commands/support/idempotency.ts'
import { NotFound } from '../../domain/errors.ts'
import { shows, sightOf } from '../../domain/grant.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { BANK_LINE } from '../../imports/bank/bank-file.ts'
import { partsOf, readChosen } from '../../imports/bank/matches/chosen.ts'
import { INVOICE, PAYMENT } from '../../imports/bank/matches/debts.ts'
import { matchAccount, proposalsFor } from '../../imports/bank/matches/match-account.ts'
import {
  ignoreLine,
  loadLine,
  matchLine,
  unmatchLine,
  type Line,
} from '../../imports/bank/matches/match-line.ts'
import { matchesOf } from '../../imports/bank/matches/matched.ts'
import type { MatchWork } from '../../imports/bank/matches/steps.ts'
import type { Match } from '../../imports/bank/matching.ts'
import { BANK_ACCOUNT } from '../../imports/bank/run/accounts.ts'
import { judgeOf } from '../../rights/judge-record.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { callerOf, principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import { granted, requires } from '../policy.ts'
import { answers } from '../records/answers.ts'
import { noParameters } from '../records/list-query.ts'

export interface MatchRoutes {
  readonly work: MatchWork
  readonly idempotency: Idempotency
  readonly readYourWritesMs: number
}

type Act = (caller: Caller, key: string, response: Response, sent: Json | undefined) => Promise<Line>

export function matchRoutes(routes: MatchRoutes): Router {
  const { work, idempotency } = routes
  const answering = answers(idempotency)
  const body = jsonBody(JSON_LIMIT)
  const router = Router({ caseSensitive: true })

  const show: RequestHandler = async (request, response) => {
    noParameters(request)
    const caller = callerOf(request, response)
    const line = await seenLine(work, caller, response, request.params['key'] as string)
    sendJson(response, 200, success(JSON.stringify(await shown(work, caller, response, line))))
  }
  refuseOthers(router.route('/banktransaction/:key/matches').get(requires('read', BANK_LINE), show))

  const post = (action: string, act: Act) =>
    refuseOthers(
      router.route(`/banktransaction/:key/${action}`).post(
        requires('update', BANK_LINE),
        body,
        answering(async (caller, request, response) => {
          const { key } = await seenLine(work, caller, response, request.params['key'] as string)
          const line = await act(caller, key, response, request.body as Json | undefined)
          await work.readModels.reached(await work.events.head(), routes.readYourWritesMs)
          const answer = await shown(work, caller, response, line)
          return { status: 200, headers: {}, body: success(JSON.stringify(answer)) }
        }),
      ),
    )
  post('match', async (caller, key, response, sent) => {
    const chosen = readChosen(sent)
    for (const one of chosen) await mayPay(work, caller, response, one.object, one.key)
    const parts = await partsOf(work, caller, await loadLine(work, caller, key), chosen)
    return matchLine(work, caller, key, { rule: 'by-hand', parts })
  })
  post('unmatch', async (caller, key, response) => {
    const { fields } = await loadLine(work, caller, key)
    for (const { Payment, Invoice } of matchesOf(fields).Parts) {
      await mayPay(work, caller, response, PAYMENT, Payment)
      if (Invoice !== null) await mayPay(work, caller, response, INVOICE, Invoice)
    }
    return unmatchLine(work, caller, key, 'person')
  })
  post('ignore', (caller, key) => ignoreLine(work, caller, key))

  const rematch = answering(async (caller, request, response) => {
    const key = request.params['key'] as string
    await seen(work, caller, response, BANK_ACCOUNT, key)
    const { lines, matched, proposed } = await matchAccount(work, caller, key)
    await work.readModels.reached(await work.events.head(), routes.readYourWritesMs)
    const Data = { Lines: lines, Matched: matched, Proposed: proposed }
    return { status: 200, headers: {}, body: success(JSON.stringify(Data)) }
  })
  refuseOthers(
    router.route('/bankaccount/:key/rematch').post(requires('update', BANK_ACCOUNT), body, rematch),
  )
  return router
}

/** @throws NotFound for a record that the request is not granted */
async function seen(
  work: MatchWork,
  caller: Caller,
  response: Response,
  object: string,
  key: string,
): Promise<Fields> {
  const { company } = principalOf(response)
  const definition = work.definitions.get(object)!
  const state = isKeyOf(object, key) ? await work.load(company, key) : undefined
  const judge = { definitions: work.definitions, states: { load: work.load } }
  const reach =
    state?.status === 'live'
      ? await judgeOf(judge, { company, definition, key, state }).grantOn(caller.grant)
      : undefined
  if (!reach) throw new NotFound(`there is no ${object} ${key.slice(0, 100)}`)
  return state!.fields
}

async function seenLine(work: MatchWork, caller: Caller, response: Response, key: string): Promise<Line> {
  await seen(work, caller, response, BANK_LINE, key)
  return loadLine(work, caller, key)
}

/** @throws Refusal (403) without the action that the match takes; NotFound for a record that it is not granted on */
async function mayPay(
  work: MatchWork,
  caller: Caller,
  response: Response,
  object: string,
  key: string,
): Promise<void> {
  const grant = granted(response, object, object === PAYMENT ? 'workflow:receive' : 'workflow:pay')
  await seen(work, { ...caller, grant }, response, object, key)
}

/** What of a match is shown: what the principal may not read is left out. */
async function shown(work: MatchWork, caller: Caller, response: Response, line: Line): Promise<Fields> {
  const { access } = principalOf(response)
  const reads = access.grant(BANK_LINE, 'read')
  const readsAll = (object: string) => {
    const grant = access.grant(object, 'read')
    return grant !== undefined && grant.shares === undefined
  }
  const mayRead = shows(sightOf(reads), 'Matches') && readsAll(PAYMENT) && readsAll(INVOICE)
  const { Status = 'Unmatched', MatchRule = null, MatchedAmount = null } = line.fields
  const { automatic, proposals } = mayRead
    ? await proposalsFor(work, caller, line.key)
    : { automatic: undefined, proposals: [] }
  return {
    Id: line.key,
    Status,
    MatchRule,
    MatchedAmount,
    Matches: mayRead
      ? matchesOf(line.fields).Parts.map(({ Kind, Payment, Invoice, Amount }) => ({
          Kind,
          Payment,
          Invoice,
          Amount,
        }))
      : [],
    Proposals: [
      ...(automatic ? [proposal(automatic, true)] : []),
      ...proposals.map((one) => proposal(one, false)),
    ],
  }
}

const proposal = (match: Match, isCertain: boolean): Fields => ({
  Rule: match.rule,
  IsCertain: isCertain,
  As: match.as ?? null,
  Payments: match.parts.map(({ item, amount }) => ({
    ...(item.startsWith(`${PAYMENT}-`) ? { Payment: item } : { Invoice: item }),
    Amount: Number(amount),
  })),
  Returns: match.payment ?? null,
})
