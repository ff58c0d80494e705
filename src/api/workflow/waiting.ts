/**
 * `GET /api/v1/waiting`: the records that wait for the caller: somebody else has brought them into a state from which only
 * another person leads on (an approval), and the caller is granted that action on them now. The oldest first.
 */
import { meantName } from '../../domain/filter/closest-name.ts'
import { Router, type RequestHandler, type Response } from 'express'
import type { RecordStates } from '../../commands/support/record-states.ts'
import { stateChanges } from '../../commands/support/state-changes.ts'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import { invalid } from '../../domain/errors.ts'
import { secondsOf } from '../../domain/fields/dates.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import { parsePage } from '../../domain/query/page.ts'
import { parseSort } from '../../domain/query/sort.ts'
import { needsAnother } from '../../domain/workflow.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { Access } from '../../rights/access.ts'
import type { Area } from '../area.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson } from '../http/send.ts'
import { needsNoGrant } from '../policy.ts'
import type { ActorName } from '../records/actors.ts'
import { parametersOf } from '../records/list-query.ts'
import { narrowingOf } from '../records/narrowed.ts'
import { shownRecords } from '../records/record-answers.ts'
import { offersOf, stateOf, type Offers } from './offers.ts'
import { waitingDescription } from './waiting-openapi.ts'

export interface Waiting {
  /** The objects that are served. */
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read'>
  readonly states: Pick<RecordStates, 'load'>
  readonly readModels: ReadModels
  readonly actorName: ActorName
}

/** Of each object as many are looked at for one answer; those of the caller's own making are passed over. */
const MOST_LOOKED_AT = 500

/** An item of the answer. */
interface WaitingRecord {
  readonly Object: string
  readonly Record: unknown
  readonly State: string
  readonly Since: string
  readonly By: { readonly Id: string; readonly Name: string }
  readonly Comment: string | null
  readonly Actions: Offers['Actions']
}

export function waitingArea(options: Waiting): Area {
  const { definitions, events, states, readModels, actorName } = options
  /** Undefined: it does not wait for the caller. */
  const itemOf = async (
    response: Response,
    definition: ObjectDefinition,
    key: string,
    json: string,
  ): Promise<WaitingRecord | undefined> => {
    const principal = principalOf(response)
    const { company } = principal
    const state = await states.load(company, key)
    if (state.status !== 'live') return undefined
    const offers = await offersOf(options, principal, { definition, key, state })
    if (!offers.Actions.some(({ Action }) => waitingActions(definition).includes(Action))) return undefined
    const narrowing = narrowingOf(options, response)
    const [record] = await shownRecords(narrowing, definition, [{ json }], {
      fields: ['Id', definition.display],
    })
    if (record === undefined) return undefined
    const last = stateChanges(definition, await events.read(company, key)).at(-1)!
    return {
      Object: definition.object,
      Record: JSON.parse(record),
      State: stateOf(definition, state) as string,
      Since: secondsOf(last.at),
      By: await actorName(company, last.actor),
      Comment: last.comment ?? null,
      Actions: offers.Actions,
    }
  }

  /** Those of one object, at most `limit`. */
  const ofObject = async (
    response: Response,
    definition: ObjectDefinition,
    limit: number,
  ): Promise<{ readonly items: readonly WaitingRecord[]; readonly more: boolean }> => {
    const { view, company } = narrowingOf(options, response)
    const seen = view.definitions.get(definition.object)
    const text = waitingFilter(definition)
    const isShown = seen?.fields.some(({ name }) => name === definition.workflow?.field)
    if (text === undefined || !seen || !isShown) return { items: [], more: false }
    const query = {
      object: definition.object,
      filter: parseFilter(text, seen, view.definitions),
      sort: parseSort('ModifiedAt', seen, view.definitions),
      offset: 0,
      limit: MOST_LOOKED_AT,
      expand: [],
    }
    const { records, total } = await readModels.list(company, view.query(query))
    const items: WaitingRecord[] = []
    for (const { key, json } of records) {
      const item = await itemOf(response, definition, key, json)
      if (item && items.length === limit) return { items, more: true }
      if (item) items.push(item)
    }
    return { items, more: total > records.length }
  }

  const list: RequestHandler = async (request, response) => {
    const given = parametersOf(request, ['object', 'pageSize'])
    const { pageSize } = parsePage(undefined, given.pageSize)
    checkObject(definitions, given.object)
    const { access } = principalOf(response)
    const asked = [...definitions.values()].filter(
      (one) => (given.object === undefined || one.object === given.object) && mayAct(access, one),
    )
    const found = await Promise.all(asked.map((definition) => ofObject(response, definition, pageSize)))
    const all = found.flatMap(({ items }) => items).sort((a, b) => Date.parse(a.Since) - Date.parse(b.Since))
    const HasMore = all.length > pageSize || found.some(({ more }) => more)
    sendJson(response, 200, JSON.stringify({ Success: true, Data: all.slice(0, pageSize), HasMore }))
  }

  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/').get(needsNoGrant('self'), list))
  return { segment: 'waiting', router, openapi: waitingDescription }
}

/** Whether there could be anything of the object that waits for the principal. */
function mayAct(access: Access, definition: ObjectDefinition): boolean {
  const { object } = definition
  const mayTake = (action: string) => access.grant(object, `workflow:${action}`) !== undefined
  return access.grant(object, 'read') !== undefined && waitingActions(definition).some(mayTake)
}

/** The actions that another person has to take. */
function waitingActions({ workflow }: ObjectDefinition): readonly string[] {
  return (workflow?.transitions ?? []).filter(needsAnother).map(({ action }) => action)
}

/** The states that those actions lead on from, as a filter; undefined: there are none. */
function waitingFilter({ workflow }: ObjectDefinition): string | undefined {
  const states = new Set((workflow?.transitions ?? []).filter(needsAnother).flatMap(({ from }) => from))
  const texts = [...states].map((state) => `'${state.replaceAll("'", "''")}'`)
  return texts.length > 0 ? `${workflow!.field} in (${texts.join(', ')})` : undefined
}

/** @throws Invalid for an object that no workflow is of */
function checkObject(definitions: Definitions, object: string | undefined): void {
  if (object === undefined || definitions.get(object)?.workflow) return
  const objects = [...definitions.values()].filter(({ workflow }) => workflow).map((one) => one.object)
  throw invalid('object', `is not an object with a workflow${meantName(object, objects)}`)
}
