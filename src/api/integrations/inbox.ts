/** What an integration has received, and what became of it: to look at, to try again, to set aside. */
import { choiceOf } from '../../shapes/choice-of.ts'
import type { Request, RequestHandler, Router } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { RecordedAnswer } from '../../commands/support/idempotency.ts'
import { NotFound } from '../../domain/errors.ts'
import { timestampOf } from '../../domain/fields/dates.ts'
import { readMoment } from '../../domain/fields/moment.ts'
import type { Fields } from '../../domain/json.ts'
import { parsePage } from '../../domain/query/page.ts'
import { replayedSpan } from '../../integrations/bodies.ts'
import { readBody } from '../../shapes/body.ts'
import { spanOf } from '../../shapes/span.ts'
import type { IntegrationWork } from '../../integrations/work.ts'
import { INBOX_STATES, type InboxRow, type InboxState } from '../../ports/inbox.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import type { Answering } from '../records/answers.ts'
import { noParameters, parametersOf } from '../records/list-query.ts'
import { listAnswer } from '../records/record-answers.ts'
import { found } from './found.ts'

export interface InboxRoutes {
  readonly work: IntegrationWork
  readonly may: () => RequestHandler
  readonly body: readonly RequestHandler[]
  readonly answering: Answering
  readonly wake: (integration: string) => void
}

/** Decided without a person; what waits is looked at again anyway. */
const REPLAYED: readonly InboxState[] = ['applied', 'ignored', 'rejected', 'conflict']

export function inboxRoutes(router: Router, { work, may, body, answering, wake }: InboxRoutes): void {
  const { inbox, clock } = work

  const list: RequestHandler = async (request, response) => {
    const given = parametersOf(request, ['page', 'pageSize', 'state', 'from'])
    const { page, pageSize } = parsePage(given.page, given.pageSize)
    const { company } = principalOf(response)
    const { key } = await found(work, { company }, request)
    const state = given.state === undefined ? undefined : choiceOf('state', given.state, INBOX_STATES)
    const from = given.from === undefined ? undefined : readMoment('from', given.from).first
    const query = { state, from, offset: (page - 1) * pageSize, limit: pageSize }
    const { rows, total } = await inbox.list(company, key, query)
    const data = rows.map((row) => JSON.stringify(rowAnswer(row)))
    sendJson(response, 200, listAnswer(data, { total }, { page, pageSize }))
  }

  const get: RequestHandler = async (request, response) => {
    noParameters(request)
    const { company } = principalOf(response)
    const { row } = await rowOf(company, request)
    const Payload = work.sealing.open(row.payload, row.id)
    sendJson(response, 200, success(JSON.stringify({ ...rowAnswer(row), Payload })))
  }

  const rowOf = async (company: string, request: Request) => {
    const { key } = await found(work, { company }, request)
    const id = request.params['message'] as string
    const row = await inbox.get(company, key, id)
    if (!row) throw new NotFound(`there is no message ${id.slice(0, 100)}`)
    return { key, row }
  }

  const marked = (state: 'stored' | 'quarantined') =>
    answering(async ({ company }: Caller, request: Request): Promise<RecordedAnswer> => {
      const { key, row } = await rowOf(company, request)
      await inbox.mark(company, key, { ids: [row.id] }, { state, now: clock.now() })
      wake(key)
      const now = await inbox.get(company, key, row.id)
      return { status: 202, headers: {}, body: success(JSON.stringify(rowAnswer(now ?? row))) }
    })

  const replay = answering(async ({ company }: Caller, request: Request): Promise<RecordedAnswer> => {
    const { key } = await found(work, { company }, request)
    const selection = readSpan(request.body, clock.now())
    const count = await inbox.mark(company, key, selection, { state: 'stored', now: clock.now() })
    wake(key)
    return { status: 202, headers: {}, body: success(JSON.stringify({ Messages: count })) }
  })

  refuseOthers(router.route('/:key/inbox').get(may(), list))
  refuseOthers(router.route('/:key/inbox/:message').get(may(), get))
  refuseOthers(router.route('/:key/inbox/:message/retry').post(may(), ...body, marked('stored')))
  refuseOthers(router.route('/:key/inbox/:message/quarantine').post(may(), ...body, marked('quarantined')))
  refuseOthers(router.route('/:key/replay').post(may(), ...body, replay))
}

function rowAnswer(row: Omit<InboxRow, 'payload'>): Fields {
  return {
    Id: row.id,
    Entry: row.entry,
    Source: row.source,
    State: row.state,
    Reason: row.reason ?? null,
    Subject: row.subject ?? null,
    ReceivedAt: timestampOf(row.receivedAt),
    Arrivals: row.arrivals,
    Attempts: row.attempts,
    NextAttemptAt: row.due === undefined ? null : timestampOf(row.due),
    Results: row.results,
  }
}

function readSpan(body: unknown, now: number) {
  const sent = readBody(replayedSpan, body, 'The replay is not valid.')
  const { from, to } = spanOf(sent)
  return {
    from: from === undefined ? 0 : Date.parse(from),
    to: to === undefined ? now + 1 : Date.parse(to),
    states: sent.States ?? REPLAYED,
  }
}
