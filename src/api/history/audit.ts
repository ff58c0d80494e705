/**
 * `/api/v1/audit`: everything that was done in the own company, by which actor and why, in the order in which it was stored.
 *
 * Each reading is stored before it is answered, and is not in its own answer. Fields that never leave the service are not
 * in it either; of objects that are not known here, or not granted, only the fact is shown.
 */
import { Router, type Request, type RequestHandler, type Response } from 'express'
import type { AuditEvent, NoteAudit } from '../../commands/note-audit.ts'
import { AUDIT } from '../../commands/note-audit.ts'
import { secondsOf } from '../../domain/fields/dates.ts'
import { withoutSecrets, type Definitions } from '../../domain/definition.ts'
import type { Position, RecordedEvent } from '../../domain/events/event.ts'
import { sightOf } from '../../domain/grant.ts'
import type { Fields } from '../../domain/json.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import { onlyShown } from '../../rights/narrow-records.ts'
import type { Journal, JournaledEvent, JournalFilter } from '../../ports/journal.ts'
import type { ActorName } from '../records/actors.ts'
import type { Area } from '../area.ts'
import type { AuditItem } from './audit-item.ts'
import { auditPageRequest, auditRequest } from './audit-query.ts'
import { askerOf, type ExportTurns } from '../warehouse/export-turns.ts'
import { auditDescription } from './openapi/audit.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { requires } from '../policy.ts'
import { listAnswer } from '../records/record-answers.ts'
import { callerOf, principalOf } from '../http/request-context.ts'
import { JSON_LINES_TYPE, sendJson, streamChunks } from '../http/send.ts'

export interface AuditArea {
  readonly definitions: Definitions
  readonly journal: Journal
  readonly note: NoteAudit
  readonly actorName: ActorName
  readonly turns: ExportTurns
}

/** Events that are read at once for an export: at first, at the most, and the characters that they should not exceed. */
const CHUNK = { first: 50, most: 250, characters: 1_000_000 }

export function auditArea({ definitions, journal, note, actorName, turns }: AuditArea): Area {
  /** Stores the reading, and answers up to where it reads. */
  const noted = async (request: Request, response: Response, type: AuditEvent, given: Fields) => {
    const position = await note(callerOf(request, response), type, given)
    await journal.caughtUp()
    return position - 1
  }

  /** Makes the lines of one answer. */
  const lines = (response: Response) => {
    const { company, access } = principalOf(response)
    /** Undefined: the principal may see nothing of the event's data. */
    const dataOf = ({ stream, data }: RecordedEvent): Fields | undefined => {
      const object = objectOfKey(stream) ?? ''
      if (object === AUDIT) return data
      const definition = definitions.get(object)
      const grant = access.grant(object, 'audit')
      if (!definition || !grant) return undefined
      // One event does not say whether the record was in the granted rows.
      const shares = grant.shares?.filter(({ rows }) => !rows)
      const whole = withoutSecrets(definition, data)
      const shown = onlyShown(whole, sightOf(shares ? { shares } : grant))
      return isEmpty(shown) && !isEmpty(whole) ? undefined : shown
    }
    return async (event: JournaledEvent): Promise<string> => {
      const { ordinal, stream, version, type, reason, metadata } = event
      const data = dataOf(event)
      const item: AuditItem = {
        Position: ordinal,
        Key: stream,
        Version: version,
        Event: type,
        At: secondsOf(metadata.recordedAt),
        By: await actorName(company, metadata.actor),
        // A reason may reveal the data: it is hidden with all of it.
        Reason: (data && reason) ?? null,
        Data: data ?? {},
      }
      return JSON.stringify(item)
    }
  }

  const page: RequestHandler = async (request, response) => {
    const { filter, given, page, pageSize, descending } = auditPageRequest(request)
    const upTo = await noted(request, response, 'audit.read', given)
    const { company } = principalOf(response)
    const total = await journal.count(company, filter, upTo)
    const offset = (page - 1) * pageSize
    const asked = { upTo, descending, offset, limit: pageSize }
    const events = offset < total ? await journal.find(company, filter, asked) : []
    const data = await Promise.all(events.map(lines(response)))
    sendJson(response, 200, listAnswer(data, { total }, { page, pageSize }))
  }

  /** The lines from the first entry on, some at a time. */
  const chunks = async function* (response: Response, filter: JournalFilter, upTo: Position) {
    const { company } = principalOf(response)
    const line = lines(response)
    let limit = CHUNK.first
    for (let after = 0; ;) {
      const events = await journal.find(company, filter, { after, upTo, limit })
      const last = events.at(-1)
      if (!last) return
      const texts = await Promise.all(events.map(line))
      const text = texts.join('\n') + '\n'
      yield text
      after = last.position
      limit = text.length > CHUNK.characters ? Math.max(1, limit >> 2) : Math.min(CHUNK.most, limit * 2)
    }
  }

  const download: RequestHandler = async (request, response) => {
    const { filter, given } = auditRequest(request)
    const headers = { 'Content-Disposition': 'attachment; filename="audit.jsonl"' }
    await turns.run(askerOf(response), async () => {
      const upTo = await noted(request, response, 'audit.exported', given)
      await streamChunks(response, headers, JSON_LINES_TYPE, chunks(response, filter, upTo))
    })
  }

  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/').get(requires('audit'), page))
  refuseOthers(router.route('/export').get(requires('audit'), download))
  return { segment: 'audit', router, openapi: auditDescription }
}

function isEmpty(fields: Fields): boolean {
  return Object.keys(fields).length === 0
}
