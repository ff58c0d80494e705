/**
 * `?asOf=`: records and lists as they were (a moment, or of a record a version). A moment stands for the last event, in the
 * order in which events were stored, whose time is not later; so it means the same for every record of the company.
 *
 * A position names exactly what is shown: pages of a list that are read one after the other begin with `asOf=now`, whose
 * answer says the position in `Daybook-Position`, and go on with `asOf=@<position>`.
 *
 * It needs the grant `audit` beside `read`, and shows what that grant shows.
 */
import type { Request, Response } from 'express'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import type { Company, Position } from '../../domain/events/event.ts'
import type { ListAsOf, RecordAsOf } from '../../domain/fields/moment.ts'
import type { Narrowing } from '../../rights/narrow-records.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { Journal } from '../../ports/journal.ts'
import type { PastLists } from '../../ports/past-lists.ts'
import { pastReadModels } from '../../projections/past-read-models.ts'
import { positionIn, writtenAt } from '../http/at-least.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { alsoSend } from '../http/send.ts'
import { granted } from '../policy.ts'

export interface AsOfOptions {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read'>
  readonly journal: Journal
  readonly lists: PastLists
  readonly positions: PositionTokens
}

export interface AsOf {
  /** The narrowing, with read models as they were at that moment. */
  list(response: Response, narrowing: Narrowing, of: ObjectDefinition, asOf: ListAsOf): Promise<Narrowing>
  record(
    response: Response,
    narrowing: Narrowing,
    of: ObjectDefinition,
    key: string,
    asOf: RecordAsOf,
  ): Promise<Narrowing>
}

export function asOfReads(options: AsOfOptions): AsOf {
  const { events, journal, positions } = options

  const at = (narrowing: Narrowing, position: Position): Narrowing => ({
    ...narrowing,
    readModels: pastReadModels(options, narrowing.company, position),
  })
  /** @throws Invalid for a token that is not a `Daybook-Position` of this company and log */
  const positionOf = async (company: Company, asOf: ListAsOf): Promise<Position> => {
    await journal.caughtUp()
    if (asOf === 'now') return journal.positionAt(company, Number.MAX_SAFE_INTEGER)
    if ('last' in asOf) return journal.positionAt(company, asOf.last)
    return positionIn('asOf', company, positions, asOf.token)
  }
  const list: AsOf['list'] = async (response, narrowing, { object }, asOf) => {
    granted(response, object, 'audit')
    const position = await positionOf(narrowing.company, asOf)
    alsoSend(response, 'Daybook-Position', writtenAt(positions, narrowing.company, position))
    return at(narrowing, position)
  }
  return {
    list,
    async record(response, narrowing, of, key, asOf) {
      if (asOf === 'now' || !('version' in asOf)) return list(response, narrowing, of, asOf)
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
