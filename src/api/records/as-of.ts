/**
 * `?asOf=`: records and lists as they were (a moment, or of a record a version). A moment stands for the last event, in the
 * order in which events were stored, whose time is not later; so it means the same for every record of the company.
 *
 * It needs the grant `audit` beside `read`, and shows what that grant shows.
 */
import type { Request, Response } from 'express'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import type { Position } from '../../domain/events/event.ts'
import type { Moment, RecordAsOf } from '../../domain/fields/moment.ts'
import type { Narrowing } from '../../rights/narrow-records.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { Journal } from '../../ports/journal.ts'
import type { PastLists } from '../../ports/past-lists.ts'
import { pastReadModels } from '../../projections/past-read-models.ts'
import { granted } from '../policy.ts'

export interface AsOfOptions {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read'>
  readonly journal: Journal
  readonly lists: PastLists
}

export interface AsOf {
  /** The narrowing, with read models as they were at that moment. */
  list(response: Response, narrowing: Narrowing, of: ObjectDefinition, asOf: Moment): Promise<Narrowing>
  record(
    response: Response,
    narrowing: Narrowing,
    of: ObjectDefinition,
    key: string,
    asOf: RecordAsOf,
  ): Promise<Narrowing>
}

export function asOfReads(options: AsOfOptions): AsOf {
  const { events, journal } = options

  const at = (narrowing: Narrowing, position: Position): Narrowing => ({
    ...narrowing,
    readModels: pastReadModels(options, narrowing.company, position),
  })
  const list: AsOf['list'] = async (response, narrowing, { object }, { last }) => {
    granted(response, object, 'audit')
    await journal.caughtUp()
    return at(narrowing, await journal.positionAt(narrowing.company, last))
  }
  return {
    list,
    async record(response, narrowing, of, key, asOf) {
      if ('last' in asOf) return list(response, narrowing, of, asOf)
      granted(response, of.object, 'audit')
      const stream = await events.read(narrowing.company, key)
      return at(narrowing, stream.find(({ version }) => version === asOf.version)?.position ?? 0)
    },
  }
}

/** By which grant a read is answered. */
export function actionOf(request: Request): 'audit' | 'read' {
  return request.url.includes('asOf') && request.query['asOf'] !== undefined ? 'audit' : 'read'
}
