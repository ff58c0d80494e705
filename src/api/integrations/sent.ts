/** What an integration has sent, and what became of it: to look at, and to send again. */
import { choiceOf } from '../../shapes/choice-of.ts'
import type { Request, RequestHandler, Router } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { RecordedAnswer } from '../../commands/support/idempotency.ts'
import { Conflict, invalid, NotFound } from '../../domain/errors.ts'
import { secondsOf, timestampOf } from '../../domain/fields/dates.ts'
import { readMoment } from '../../domain/fields/moment.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import type { Fields } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { parsePage } from '../../domain/query/page.ts'
import { SENDING, SENDING_STATES, sendingDefinition } from '../../integrations/objects.ts'
import type { IntegrationWork } from '../../integrations/work.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import type { Answering } from '../records/answers.ts'
import { parametersOf } from '../records/list-query.ts'
import { listAnswer } from '../records/record-answers.ts'
import { found } from './found.ts'

const KEY = /^[a-z0-9]+-[0-9a-z]{1,60}$/

export interface SentRoutes {
  readonly work: IntegrationWork
  readonly may: () => RequestHandler
  readonly body: readonly RequestHandler[]
  readonly answering: Answering
}

export function sentRoutes(router: Router, { work, may, body, answering }: SentRoutes): void {
  const list: RequestHandler = async (request, response) => {
    const given = parametersOf(request, ['page', 'pageSize', 'state', 'record', 'from'])
    const { page, pageSize } = parsePage(given.page, given.pageSize)
    const { company } = principalOf(response)
    const { key } = await found(work, { company }, request)
    const { record } = given
    const state = given.state === undefined ? undefined : choiceOf('state', given.state, SENDING_STATES)
    const ofState = state === undefined ? '' : ` and State eq '${state}'`
    if (record !== undefined && !KEY.test(record)) throw invalid('record', 'must be the Key of a record')
    const ofRecord = record === undefined ? '' : ` and Record eq '${record}'`
    const all = `Integration eq '${key}'${ofState}${ofRecord}${from(given.from)}`
    const filter = parseFilter(all, sendingDefinition, work.definitions)
    const offset = (page - 1) * pageSize
    const query = { object: SENDING, filter, sort: [], offset, limit: pageSize, expand: [] }
    const { records, total } = await work.readModels.list(company, query)
    const data = records.map(({ key: id, json }) => JSON.stringify(answerOf(id, JSON.parse(json) as Fields)))
    sendJson(response, 200, listAnswer(data, { total }, { page, pageSize }))
  }

  const retry = answering(async (caller: Caller, request: Request): Promise<RecordedAnswer> => {
    const { key } = await found(work, caller, request)
    const id = request.params['sending'] as string
    const state = isKeyOf(SENDING, id) ? await work.steps.load(caller.company, id) : undefined
    if (state?.status !== 'live' || state.fields['Integration'] !== key)
      throw new NotFound(`there is no request ${id.slice(0, 100)}`)
    const before = state.fields['State'] as string
    if (before !== 'failed' && before !== 'refused')
      throw new Conflict(`it is ${before}: only what has failed, or was refused, is sent again`)
    // The record as it is now, which may be what was put right.
    const data = { ...state.fields, State: 'due', SentVersion: null, Reason: null }
    await work.steps.add(
      { company: caller.company, key: id, version: state.version },
      'sending.due',
      data,
      caller,
    )
    const { fields, createdAt, modifiedAt } = await work.steps.load(caller.company, id)
    const times = { CreatedAt: secondsOf(createdAt), ModifiedAt: secondsOf(modifiedAt) }
    return { status: 202, headers: {}, body: success(JSON.stringify(answerOf(id, { ...fields, ...times }))) }
  })

  refuseOthers(router.route('/:key/sent').get(may(), list))
  refuseOthers(router.route('/:key/sent/:sending/retry').post(may(), ...body, retry))
}

function from(moment: string | undefined): string {
  if (moment === undefined) return ''
  return ` and CreatedAt ge ${timestampOf(readMoment('from', moment).first)}`
}

function answerOf(Id: string, fields: Fields): Fields {
  const of = (name: string) => fields[name] ?? null
  return {
    Id,
    Entry: of('Entry'),
    Record: of('Record'),
    Event: of('Event'),
    State: of('State'),
    Attempts: of('Attempts'),
    Status: of('Status'),
    ExternalId: of('ExternalId'),
    Reason: of('Reason'),
    CreatedAt: of('CreatedAt'),
    ModifiedAt: of('ModifiedAt'),
  }
}
