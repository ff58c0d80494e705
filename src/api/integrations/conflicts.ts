/** Fields that both sides have changed: both values side by side, and a person's choice. */
import type { Request, RequestHandler, Response, Router } from 'express'
import type { Caller } from '../../commands/command.ts'
import type { RecordedAnswer } from '../../commands/support/idempotency.ts'
import { Conflict, NotFound } from '../../domain/errors.ts'
import type { Fields } from '../../domain/json.ts'
import { timestampOf } from '../../domain/fields/dates.ts'
import { parsePage } from '../../domain/query/page.ts'
import { contestedOf, readSides, resolveConflict } from '../../integrations/conflicts.ts'
import type { InboxRow } from '../../ports/inbox.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, success } from '../http/send.ts'
import { granted } from '../policy.ts'
import { parametersOf } from '../records/list-query.ts'
import { listAnswer } from '../records/record-answers.ts'
import { found } from './found.ts'
import type { InboxRoutes } from './inbox.ts'

export function conflictRoutes(
  router: Router,
  { work, may, body, answering }: Omit<InboxRoutes, 'wake'>,
): void {
  const { inbox } = work

  const list: RequestHandler = async (request, response) => {
    const given = parametersOf(request, ['page', 'pageSize'])
    const { page, pageSize } = parsePage(given.page, given.pageSize)
    const { company } = principalOf(response)
    const { key } = await found(work, { company }, request)
    const query = { state: 'conflict', offset: (page - 1) * pageSize, limit: pageSize } as const
    const { rows, total } = await inbox.list(company, key, query)
    sendJson(
      response,
      200,
      listAnswer(
        rows.map((row) => JSON.stringify(conflictAnswer(row))),
        { total },
        { page, pageSize },
      ),
    )
  }

  const resolve = answering(
    async (caller: Caller, request: Request, response: Response): Promise<RecordedAnswer> => {
      const integration = await found(work, caller, request)
      const id = request.params['message'] as string
      const row = await inbox.get(caller.company, integration.key, id)
      if (!row) throw new NotFound(`there is no message ${id.slice(0, 100)}`)
      if (row.state !== 'conflict') throw new Conflict(`it is ${row.state}: only a conflict is resolved`)
      const sides = readSides(request.body, contestedOf(row))
      const grant = (object: string) => granted(response, object, 'update')
      await resolveConflict(work, caller, { integration, row, sides, grant })
      const answer = { Id: id, State: 'applied', Records: contestedOf(row).map(({ record }) => record) }
      return { status: 200, headers: {}, body: success(JSON.stringify(answer)) }
    },
  )

  refuseOthers(router.route('/:key/conflicts').get(may(), list))
  refuseOthers(router.route('/:key/conflicts/:message/resolve').post(may(), ...body, resolve))
}

function conflictAnswer(row: Omit<InboxRow, 'payload'>): Fields {
  const Records = contestedOf(row).map(({ object, record, fields }) => ({
    Object: object,
    Record: record,
    Fields: fields.map(({ Field, Ours, Theirs }) => ({ Field, Ours, Theirs })),
  }))
  return { Id: row.id, Entry: row.entry, ReceivedAt: timestampOf(row.receivedAt), Records }
}
