/**
 * `/api/v1/audit`: everything that was done in the own company, by which actor and why, in the order in which it was stored.
 *
 * Each reading is stored before it is answered, and is not in its own answer. Fields that never leave the service are not
 * in it either; of objects that are not known here, or not granted, only the fact is shown.
 */
import { Router, type Request, type RequestHandler, type Response } from 'express'
import type { AuditEvent, NoteAudit } from '../../commands/note-audit.ts'
import type { Fields } from '../../domain/json.ts'
import type { Journal } from '../../ports/journal.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { Area } from '../area.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { callerOf, principalOf } from '../http/request-context.ts'
import { CSV_TYPE, JSON_LINES_TYPE, sendJson, streamChunks } from '../http/send.ts'
import { requires } from '../policy.ts'
import { actorsNamed } from '../records/actors.ts'
import { listAnswer } from '../records/record-answers.ts'
import { askerOf, type ExportTurns } from '../warehouse/export-turns.ts'
import { auditChunks, isSought, journaledPage, soughtPage } from './audit-entries.ts'
import { auditExportRequest, auditPageRequest, type Known } from './audit-query.ts'
import { shownEntries, type EntriesOf } from './audit-shown.ts'
import { auditDescription } from './openapi/audit.ts'

export interface AuditArea extends EntriesOf {
  readonly journal: Journal
  readonly readModels: Pick<ReadModels, 'list'>
  readonly note: NoteAudit
  readonly turns: ExportTurns
}

export function auditArea(area: AuditArea): Area {
  const { definitions, journal, note, readModels, turns } = area
  /** Stores the reading, and answers up to where it reads. */
  const noted = async (request: Request, response: Response, type: AuditEvent, given: Fields) => {
    const position = await note(callerOf(request, response), type, given)
    await journal.caughtUp()
    return position - 1
  }
  const knownTo = (response: Response): Known => ({
    definitions,
    keysOf: (name) => actorsNamed({ definitions, readModels }, principalOf(response).company, name),
  })

  const page: RequestHandler = async (request, response) => {
    const asked = await auditPageRequest(request, knownTo(response))
    const { filter, given, page, pageSize } = asked
    const upTo = await noted(request, response, 'audit.read', given)
    const { company } = principalOf(response)
    const shown = shownEntries(area, response)
    const offset = (page - 1) * pageSize
    const entries = { journal, company, filter, upTo, shown }
    const { events, total } = isSought(asked.sought)
      ? await soughtPage(entries, asked, offset)
      : await journaledPage(entries, asked, offset)
    const data = await Promise.all(events.map(async (event) => JSON.stringify(await shown.item(event))))
    sendJson(response, 200, listAnswer(data, { total }, { page, pageSize }))
  }

  const download: RequestHandler = async (request, response) => {
    const { filter, given, sought, format } = await auditExportRequest(request, knownTo(response))
    const headers = { 'Content-Disposition': `attachment; filename="audit.${format}"` }
    const type = format === 'csv' ? CSV_TYPE : JSON_LINES_TYPE
    await turns.run(askerOf(response), async () => {
      const upTo = await noted(request, response, 'audit.exported', given)
      const { company } = principalOf(response)
      const entries = { journal, company, filter, upTo, shown: shownEntries(area, response) }
      await streamChunks(response, headers, type, auditChunks(entries, sought, format))
    })
  }

  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/').get(requires('audit'), page))
  refuseOthers(router.route('/export').get(requires('audit'), download))
  return { segment: 'audit', router, openapi: auditDescription }
}
