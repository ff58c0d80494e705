/**
 * `GET /:object/changes?since=`: the records that changed, in the order of their last change, and the token to go on with.
 *
 * Each record is there once, as it now is, or as `{Id, IsDeleted: true}`; one that changes again while the client reads
 * comes again later. So nothing is missed and no version comes twice, however many write meanwhile. Who may see only some
 * records sees a record as deleted when it is no longer among them.
 */
import { Router, type RequestHandler } from 'express'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { invalid } from '../../domain/errors.ts'
import type { Company, Position } from '../../domain/events/event.ts'
import { isPack, unpacked } from '../../domain/events/packs.ts'
import { parsePage } from '../../domain/query/page.ts'
import { happeningOf } from '../../domain/records/record.ts'
import { judgeOfState } from '../../rights/judge-record.ts'
import type { Narrowing } from '../../rights/narrow-records.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { Journal, LatestChange } from '../../ports/journal.ts'
import { pastRecords } from '../../projections/past-records.ts'
import { parametersOf } from '../records/list-query.ts'
import { objectNamed } from '../records/named-object.ts'
import { narrowingOf, type Narrowed } from '../records/narrowed.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { requires } from '../policy.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { readsLag, Refusal } from '../http/problems.ts'
import { shownRecords } from '../records/record-answers.ts'
import { sendJson } from '../http/send.ts'

export interface ChangesRoutes extends Narrowed {
  readonly events: Pick<EventStore, 'read'>
  readonly journal: Journal
  readonly positions: PositionTokens
  /** How long reads may lag behind what is asked for, in ms. */
  readonly readLagMs: number
}

export function changesRoutes(routes: ChangesRoutes): Router {
  const { definitions, readModels, events, journal, positions, readLagMs } = routes

  /**
   * The change as it is shown; undefined when there is nothing to show, or a later place in the feed shows it.
   * @throws Refusal when the record is not shown as far as that: to pass it over would be to leave it out
   */
  const itemOf = async (
    narrowing: Narrowing,
    definition: ObjectDefinition,
    { key, version, type }: LatestChange,
    since: Position,
  ): Promise<string | undefined> => {
    const { company } = narrowing
    const stored = await readModels.get(company, definition.object, key)
    const isDeleted = happeningOf(type) === 'deleted'
    if (stored ? isDeleted || stored.version !== version : !isDeleted) {
      const hasChangedSince = stored
        ? stored.version > version
        : (await events.read(company, key, version)).length > 0
      if (!hasChangedSince) throw readsLag()
      return undefined
    }
    if (stored) {
      const [shown] = await shownRecords(narrowing, definition, [stored])
      if (shown !== undefined) return shown
    }
    const grant = narrowing.view.grant(definition.object)
    const wasSeen = grant && (!grant.shares || (await wasShown(narrowing, definition, key, since)))
    return wasSeen ? JSON.stringify({ Id: key, IsDeleted: true }) : undefined
  }

  /** Whether the record was shown to the principal when the client last looked. */
  const wasShown = async (
    { company, view }: Narrowing,
    definition: ObjectDefinition,
    key: string,
    since: Position,
  ): Promise<boolean> => {
    const past = pastRecords({ definitions, events, company })
    const state = await past.stateAt(key, since)
    if (state.status !== 'live') return false
    const whole = definitions.get(definition.object)!
    const judge = judgeOfState(definitions, { definition: whole, key, state }, (looked) =>
      past.stateAt(looked, since),
    )
    return (await judge.grantOn(view.grant(definition.object))) !== undefined
  }

  const tokenOf = (company: Company, object: string, position: Position) =>
    positions.write(company, feedOf(object), position)

  const feed: RequestHandler = async (request, response) => {
    const narrowing = narrowingOf(routes, response)
    const { company } = narrowing
    const definition = objectNamed(narrowing.view.definitions, request)
    const { object } = definition
    const given = parametersOf(request, ['since', 'pageSize'])
    const { pageSize } = parsePage(undefined, given.pageSize)
    const begin = given.since === undefined || given.since === 'now'
    const since = begin ? 0 : positionOf(positions.read(company, feedOf(object), given.since!))
    const end = await journal.caughtUp()
    if (since > end) throw goneToken()
    if (given.since === 'now')
      return sendJson(response, 200, answer([], tokenOf(company, object, end), false))
    const { changes, position, more } = await journal.latestChanges(company, object, since, pageSize)
    if (!(await readModels.reached(position, readLagMs))) throw readsLag()
    const items: string[] = []
    for (const change of await withRows(events, company, changes)) {
      const item = await itemOf(narrowing, definition, change, since)
      if (item !== undefined) items.push(item)
    }
    sendJson(response, 200, answer(items, tokenOf(company, object, position), more))
  }

  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/:object/changes').get(requires('read', ':object'), feed))
  return router
}

/** The rows of packs, each as a record of its own. */
async function withRows(
  events: Pick<EventStore, 'read'>,
  company: Company,
  changes: readonly LatestChange[],
): Promise<readonly LatestChange[]> {
  const all: LatestChange[] = []
  for (const change of changes)
    if (!isPack({ stream: change.key, type: change.type })) all.push(change)
    else {
      const [pack] = await events.read(company, change.key)
      const rows = pack ? unpacked(pack) : []
      all.push(...rows.map(({ stream: key, type, version, position }) => ({ key, type, version, position })))
    }
  return all
}

function answer(items: readonly string[], next: string, more: boolean): string {
  return `{"Success":true,"Data":[${items.join(',')}],"Next":"${next}","HasMore":${more}}`
}

/** @throws Invalid when the token was not given out for this feed; Refusal (410) when by another log */
function positionOf(read: ReturnType<PositionTokens['read']>): Position {
  if (read === 'other log') throw goneToken()
  if (read === 'unknown')
    throw invalid('since', 'is not a token of this feed; start again without it, or with now')
  return read
}

/** What tokens of the feed stand for. */
const feedOf = (object: string) => `changes ${object}`

/** The store is another, or does not reach as far as it once did: it was restored from a backup, say. */
function goneToken(): Refusal {
  const message = 'is of another store, or later than anything this one holds; begin again without it'
  return new Refusal({
    status: 410,
    code: 'NOT_FOUND',
    message: `since ${message}`,
    details: [{ Field: 'since', Message: message }],
  })
}
