/**
 * `GET /:object/:key/history`: what happened to a record, who did it and why, from what to what; newest last. A deleted
 * record keeps its history. Lookups are shown with the names that they had then.
 *
 * Only a principal that sees the record as it was last gets its history. Each side of a change is then judged as
 * `?asOf=<version>` would judge that version.
 */
import { Router, type RequestHandler } from 'express'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { fieldOf, targetOf } from '../../domain/definition.ts'
import { secondsOf } from '../../domain/fields/dates.ts'
import { lookupValue } from '../../domain/records/document.ts'
import { rowsOf, shows, sightOf, type Grant, type Sight } from '../../domain/grant.ts'
import { historyOf, type HistoryEntry } from '../../domain/records/history.ts'
import type { Json } from '../../domain/json.ts'
import { invalid } from '../../domain/errors.ts'
import type { EventMetadata, Position, RecordedEvent } from '../../domain/events/event.ts'
import type { RecordState } from '../../domain/records/record.ts'
import { isPackKey } from '../../domain/events/packs.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { parsePage } from '../../domain/query/page.ts'
import { judgeOfState } from '../../rights/judge-record.ts'
import type { Narrowing } from '../../rights/narrow-records.ts'
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
import type { HistoryItem, HistoryMessage } from './history-item.ts'
import { maySeeMessages, messagesAbout, type PlacedMessage } from './messages-about.ts'

export interface HistoryRoutes extends Narrowed {
  readonly events: Pick<EventStore, 'read'>
  readonly actorName: ActorName
}

export function historyRoutes(routes: HistoryRoutes): Router {
  const { definitions, events, actorName } = routes
  const history: RequestHandler = async (request, response) => {
    const definition = objectNamed(definitions, request)
    const given = parametersOf(request, ['page', 'pageSize', 'include'])
    const { page, pageSize } = parsePage(given.page, given.pageSize)
    const includesMessages = asksForMessages(given.include)
    if (includesMessages) maySeeMessages(response)
    const { company } = principalOf(response)
    const key = request.params['key'] as string
    const past = pastRecords({ definitions, events, company })
    const isRecord = isKeyOf(definition.object, key) && !isPackKey(key)
    const stream = isRecord ? await past.eventsOf(key) : []
    if (stream.length === 0) throw noRecord(definition, key)
    const narrowing = narrowingOf(routes, response, 'audit')
    const granted = narrowing.view.grant(definition.object)
    /** What applied to the record in that state, at that position. */
    const grantAt = (state: RecordState, position: Position) =>
      judgeOfState(definitions, { definition, key, state }, (looked) =>
        past.stateAt(looked, position),
      ).grantOn(granted)
    const last = stream.at(-1)!.position
    if (!(await grantAt(await past.stateAt(key, last), last))) throw noRecord(definition, key)
    const messages = includesMessages ? await messagesAbout(routes, company, key) : []
    const shown = inOrder(stream, messages).slice((page - 1) * pageSize, page * pageSize)
    const places = shown.flatMap(({ place }) => (place === undefined ? [] : [place]))
    const first = places[0] ?? stream.length
    const entries = historyOf(definition, stream, first, first + places.length)
    const items: (HistoryItem | HistoryMessage)[] = []
    let before = stream[first - 1]?.position ?? 0
    for (const { place, message } of shown) {
      if (message) items.push(await message.item())
      if (place === undefined) continue
      const entry = entries[place - first]!
      const { type, version, reason, metadata, position } = entry.event
      const grants = [await grantAt(entry.before, before), await grantAt(entry.after, position)] as const
      const changes = await shownChanges({ definition, narrowing, past, entry, grants })
      items.push({
        Version: version,
        Event: type,
        At: secondsOf(metadata.recordedAt),
        By: await actorName(company, metadata.actor),
        Reason: (showsReason(entry, grants, changes) && reason) || null,
        ...originOf(metadata),
        Changes: changes,
      })
      before = position
    }
    const data = items.map((item) => JSON.stringify(item))
    const total = stream.length + messages.length
    sendJson(response, 200, listAnswer(data, { total }, { page, pageSize }))
  }

  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/:object/:key/history').get(requires('audit', ':object'), history))
  return router
}

/** @throws Invalid */
function asksForMessages(include: string | undefined): boolean {
  if (include !== undefined && include !== 'messages') throw invalid('include', 'must be messages')
  return include !== undefined
}

/** The record's own events by their places, and messages between them, as they happened. */
function inOrder(
  stream: readonly RecordedEvent[],
  messages: readonly PlacedMessage[],
): readonly {
  readonly position: Position
  readonly place?: number
  readonly message?: PlacedMessage
}[] {
  const own = stream.map(({ position }, place) => ({ position, place }))
  const others = messages.map((message) => ({ position: message.position, message }))
  return [...own, ...others].sort((one, other) => one.position - other.position)
}

const IMPORTED = /^import:(?<key>[^#]+)#(?<row>\d+)$/

const INTEGRATED = 'integration:'
const RECEIVED = 'inbox-'

/** The row of a file, or the message of another system, that led to the event. */
function originOf({
  source,
  $causationId: cause,
}: EventMetadata): Pick<HistoryItem, 'Import' | 'Integration'> {
  const { key: Id, row } = IMPORTED.exec(source)?.groups ?? {}
  if (Id !== undefined) return { Import: { Id, Row: Number(row) } }
  if (!source.startsWith(INTEGRATED)) return {}
  const Message = cause?.startsWith(RECEIVED) ? cause : null
  return { Integration: { Id: source.slice(INTEGRATED.length), Message } }
}

/** What applied to the record before and after an event; undefined: it did not exist for the principal. */
type Grants = readonly [before: Grant | undefined, after: Grant | undefined]

interface ShownChanges {
  readonly definition: ObjectDefinition
  readonly narrowing: Narrowing
  readonly past: PastRecords
  readonly entry: HistoryEntry
  readonly grants: Grants
}

/** The changes of which the principal saw at least one side; the other side is null. */
async function shownChanges({
  definition,
  narrowing: { definitions, view },
  past,
  entry,
  grants,
}: ShownChanges): Promise<HistoryItem['Changes']> {
  const shown = async (name: string, value: Json, sight: Sight): Promise<Json> => {
    if (!shows(sight, name)) return null
    const field = fieldOf(definition, name)
    if (field?.type !== 'lookup' || typeof value !== 'string') return value
    const target = targetOf(definitions, field)
    const isNamed = rowsOf(view.grant(target.object), target.display) === undefined
    const display = isNamed ? await past.displayAt(target, value, entry.event.position) : null
    return lookupValue(definitions, field, value, display)
  }
  const [before, after] = [sightOf(grants[0]), sightOf(grants[1])]
  const changes: Record<string, { From: Json; To: Json }> = {}
  for (const [name, { from, to }] of Object.entries(entry.changes))
    if (shows(before, name) || shows(after, name))
      changes[name] = { From: await shown(name, from, before), To: await shown(name, to, after) }
  return changes
}

/** A reason may reveal the change: it is hidden where all that changed is hidden. */
function showsReason(entry: HistoryEntry, [before, after]: Grants, shown: HistoryItem['Changes']): boolean {
  const changesNothing = Object.keys(entry.changes).length === 0
  return changesNothing ? (before ?? after) !== undefined : Object.keys(shown).length > 0
}
