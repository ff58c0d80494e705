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
import { NotFound } from '../../domain/errors.ts'
import type { Company, Position, RecordedEvent } from '../../domain/events/event.ts'
import { secondsOf } from '../../domain/fields/dates.ts'
import type { ListAsOf, RecordAsOf } from '../../domain/fields/moment.ts'
import { isPackKey } from '../../domain/events/packs.ts'
import { isKeyOf } from '../../domain/records/key.ts'
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
  /** Why a record was not there then. Undefined: it never was, or the caller may not know of every record of the object. */
  absence(
    narrowing: Narrowing,
    of: ObjectDefinition,
    key: string,
    asOf: RecordAsOf,
  ): Promise<NotFound | undefined>
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
    async absence({ company, view }, { object }, key, asOf) {
      const grant = view.grant(object)
      if (!grant || grant.shares?.some(({ rows }) => rows)) return undefined
      if (!isKeyOf(object, key) || isPackKey(key)) return undefined
      const stream = await events.read(company, key)
      const [first, last] = [stream[0], stream.at(-1)]
      if (!first || !last) return undefined
      const isVersion = asOf !== 'now' && 'version' in asOf
      if (isVersion && asOf.version > last.version)
        return new NotFound(`${key} has no version ${asOf.version}; its last is ${last.version}`)
      const upTo = isVersion
        ? stream.find(({ version }) => version === asOf.version)!.position
        : await positionOf(company, asOf)
      const before = stream.filter(({ position }) => position <= upTo).at(-1)
      const when = (event: RecordedEvent) => secondsOf(event.metadata.recordedAt)
      return before
        ? new NotFound(
            `${key} was deleted then; it was deleted at ${when(before)} (version ${before.version})`,
          )
        : new NotFound(`${key} was not there yet; it was created at ${when(first)}`)
    },
  }
}

/** By which grant a read is answered. */
export function actionOf(request: Request): 'audit' | 'read' {
  return request.url.includes('asOf') && request.query['asOf'] !== undefined ? 'audit' : 'read'
}
