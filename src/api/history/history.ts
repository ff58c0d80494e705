/**
 * `GET /:object/:key/history`: what happened to a record, by whom and why, from what to what; newest last. A deleted
 * record keeps its history. Lookups are shown with the names that they had then. Who may see the record as it was last
 * may see how it came about.
 */
import { Router, type RequestHandler } from 'express'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { fieldOf, targetOf } from '../../domain/definition.ts'
import { secondsOf } from '../../domain/fields/dates.ts'
import { lookupValue } from '../../domain/records/document.ts'
import { rowsOf, shows, type Sight } from '../../domain/grant.ts'
import { historyOf, type HistoryEntry } from '../../domain/records/history.ts'
import type { Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { parsePage } from '../../domain/query/page.ts'
import { sightOf, type Narrowing } from '../../rights/narrow-records.ts'
import type { EventStore } from '../../ports/event-store.ts'
import { pastRecords, type PastRecords } from '../../projections/past-records.ts'
import type { ActorName } from '../records/actors.ts'
import { parametersOf } from '../records/list-query.ts'
import { narrowingOf, type Narrowed } from '../records/narrowed.ts'
import { noRecord, objectNamed } from '../records/named-object.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { requires } from '../policy.ts'
import { principalOf } from '../http/request-context.ts'
import { listAnswer } from '../records/record-answers.ts'
import { sendJson } from '../http/send.ts'

export interface HistoryRoutes extends Narrowed {
  readonly events: Pick<EventStore, 'read'>
  readonly actorName: ActorName
}

/** An entry as it is answered. */
export interface HistoryItem {
  readonly Version: number
  readonly Event: string
  readonly At: string
  readonly By: { readonly Id: string; readonly Name: string }
  readonly Reason: string | null
  readonly Changes: { readonly [field: string]: { readonly From: Json; readonly To: Json } }
}

export function historyRoutes(routes: HistoryRoutes): Router {
  const { definitions, events, actorName } = routes
  const history: RequestHandler = async (request, response) => {
    const definition = objectNamed(definitions, request)
    const given = parametersOf(request, ['page', 'pageSize'])
    const { page, pageSize } = parsePage(given.page, given.pageSize)
    const { company } = principalOf(response)
    const key = request.params['key'] as string
    const past = pastRecords({ definitions, events, company })
    const stream = isKeyOf(definition.object, key) ? await past.eventsOf(key) : []
    if (stream.length === 0) throw noRecord(definition, key)
    const narrowing = narrowingOf(routes, response, 'audit')
    const last = stream.at(-1)!.position
    const now = await past.documentOf(definition, key, await past.stateAt(key, last), last)
    const sight = await sightOf(narrowing, definition.object, now)
    if (!sight) throw noRecord(definition, key)
    const items: HistoryItem[] = []
    for (const entry of historyOf(definition, stream, (page - 1) * pageSize, page * pageSize)) {
      const { type, version, metadata } = entry.event
      items.push({
        Version: version,
        Event: type,
        At: secondsOf(metadata.at),
        By: await actorName(company, metadata.actor),
        Reason: metadata.reason ?? null,
        Changes: await shownChanges({ definition, narrowing, past, entry, sight }),
      })
    }
    const data = items.map((item) => JSON.stringify(item))
    sendJson(response, 200, listAnswer(data, { total: stream.length }, { page, pageSize }))
  }

  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/:object/:key/history').get(requires('audit', ':object'), history))
  return router
}

interface ShownChanges {
  readonly definition: ObjectDefinition
  readonly narrowing: Narrowing
  readonly past: PastRecords
  readonly entry: HistoryEntry
  readonly sight: Sight
}

async function shownChanges({
  definition,
  narrowing: { definitions, view },
  past,
  entry,
  sight,
}: ShownChanges): Promise<HistoryItem['Changes']> {
  const shown = async (name: string, value: Json): Promise<Json> => {
    const field = fieldOf(definition, name)
    if (field?.type !== 'lookup' || typeof value !== 'string') return value
    const target = targetOf(definitions, field)
    const named = rowsOf(view.grant(target.object), target.display) === undefined
    const display = named ? await past.displayAt(target, value, entry.event.position) : null
    return lookupValue(definitions, field, value, display)
  }
  const changes: Record<string, { From: Json; To: Json }> = {}
  for (const [name, { from, to }] of Object.entries(entry.changes))
    if (shows(sight, name)) changes[name] = { From: await shown(name, from), To: await shown(name, to) }
  return changes
}
