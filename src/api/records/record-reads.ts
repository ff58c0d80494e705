/** Reads of records: one by its Key, and lists. Any thread that has read models can answer them. */
import type { Request, RequestHandler } from 'express'
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import type { Company } from '../../domain/events/event.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { Narrowing } from '../../rights/narrow-records.ts'
import { caughtUp } from '../http/at-least.ts'
import { etagOf, matchesNone } from '../http/conditional.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { send, sendJson, success } from '../http/send.ts'
import { actionOf, type AsOf } from './as-of.ts'
import { listRequest, recordRequest } from './list-query.ts'
import { noRecord, objectNamed } from './named-object.ts'
import { checkExpand, narrowingOf } from './narrowed.ts'
import { listAnswer, shownRecords } from './record-answers.ts'

export interface RecordReadsOptions {
  readonly definitions: Definitions
  readonly readModels: ReadModels
  readonly positions: Pick<PositionTokens, 'read'>
  readonly readYourWritesMs: number
  /** Reads of what was. */
  readonly asOf: AsOf
}

export interface RecordReads {
  /** `GET /:object/:key`; goes on to the next route where the path names no Key. */
  readonly get: RequestHandler
  /** `GET /:object`. */
  readonly list: RequestHandler
}

export function recordReads(routes: RecordReadsOptions): RecordReads {
  const { readModels, positions, readYourWritesMs, asOf } = routes

  const seen = (request: Request, company: Company) =>
    caughtUp(request, company, positions, (position) => readModels.reached(position, readYourWritesMs))

  const get: RequestHandler = async (request, response, next) => {
    // No Key: one of the routes that come after (`/:object/changes`).
    if (!(request.params['key'] as string).includes('-')) return next()
    const present = narrowingOf(routes, response, actionOf(request))
    const definition = objectNamed(present.view.definitions, request)
    const asked = recordRequest(request, definition, ['atLeast'])
    checkExpand(response, definition, asked.expand)
    await seen(request, present.company)
    const key = request.params['key'] as string
    const then = asked.asOf ? await asOf.record(response, present, definition, key, asked.asOf) : present
    const record = await then.readModels.get(then.company, definition.object, key)
    if (!record)
      throw (
        (asked.asOf && (await asOf.absence(present, definition, key, asked.asOf))) ??
        noRecord(definition, key)
      )
    const { json, version } = record
    const expanded =
      asked.expand.length > 0 ? await expandedOf(then, definition, json, asked.expand) : undefined
    const [shown] = await shownRecords(then, definition, [{ json, expanded }], asked)
    if (shown === undefined) throw noRecord(definition, key)
    const headers = { ETag: etagOf(version) }
    if (!matchesNone(request.headers['if-none-match'], version)) return send(response, 304, headers)
    sendJson(response, 200, success(shown), headers)
  }

  const expandedOf = async (
    { company, readModels }: Narrowing,
    definition: ObjectDefinition,
    json: string,
    expand: readonly string[],
  ) => {
    const record = JSON.parse(json) as Record<string, { readonly Id: string } | null>
    const expanded: Record<string, string> = {}
    for (const name of expand) {
      const target = definition.fields.find((field) => field.name === name)?.target ?? ''
      const looked = record[name] ? await readModels.get(company, target, record[name].Id) : undefined
      if (looked) expanded[name] = looked.json
    }
    return expanded
  }

  const list: RequestHandler = async (request, response) => {
    const present = narrowingOf(routes, response, actionOf(request))
    const { view, company } = present
    const definition = objectNamed(view.definitions, request)
    const asked = listRequest(request, definition, view.definitions, true)
    const { expand } = asked.query
    checkExpand(response, definition, expand)
    await seen(request, company)
    const then = asked.asOf ? await asOf.list(response, present, definition, asked.asOf) : present
    const page = await then.readModels.list(company, view.query(asked.query))
    const shown = await shownRecords(then, definition, page.records, { fields: asked.fields, expand })
    const data = shown.filter((text) => text !== undefined)
    sendJson(response, 200, listAnswer(data, page, asked))
  }

  return { get, list }
}
