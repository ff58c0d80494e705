/**
 * Records that the service keeps for itself, as their own routes serve them: with the parameters of any list, and never
 * with what is secret of them.
 */
import type { Request, Response } from 'express'
import type { RecordedAnswer } from '../../commands/support/idempotency.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import {
  listedUnder,
  STANDARD_FIELDS,
  type Definitions,
  type ObjectDefinition,
} from '../../domain/definition.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Fields } from '../../domain/json.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { etagOf, matchesNone } from '../http/conditional.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { listRequest, recordRequest } from './list-query.ts'
import { noRecord } from './named-object.ts'
import { listAnswer, shaped, writtenRecord } from './record-answers.ts'
import { send, sendJson, success } from '../http/send.ts'

export interface ServiceRecords {
  list(request: Request, response: Response, company: Company): Promise<void>
  get(request: Request, response: Response, company: Company): Promise<void>
  /** The answer to a write; `more` is added to the record. */
  answer(
    status: 200 | 201,
    path: string,
    company: Company,
    written: Written,
    more?: Fields,
  ): Promise<RecordedAnswer>
  /** The answer to a delete. */
  deleted(company: Company, written: Written): Promise<RecordedAnswer>
}

export interface ServiceRecordsOptions {
  /** Of all objects. */
  readonly definitions: Definitions
  readonly readModels: ReadModels
  readonly positions: Pick<PositionTokens, 'write'>
  readonly readYourWritesMs: number
}

/** The definition as its routes know it: what is secret is not there, so it cannot be asked for, filtered or sorted by. */
export function shownDefinition(definition: ObjectDefinition): ObjectDefinition {
  const secrets = definition.internal?.secrets ?? []
  return { ...definition, fields: definition.fields.filter(({ name }) => !secrets.includes(name)) }
}

export function serviceRecords(options: ServiceRecordsOptions, whole: ObjectDefinition): ServiceRecords {
  const { definitions, readModels } = options
  const definition = shownDefinition(whole)
  const { object } = definition
  const [id, ...times] = STANDARD_FIELDS.map(({ name }) => name)
  const shown = [id!, ...definition.fields.map(({ name }) => name), ...times]

  return {
    async list(request, response, company) {
      const asked = listRequest(request, definition, definitions)
      const page = await readModels.list(listedUnder(definition, company), asked.query)
      const data = page.records.map(({ json }) => shaped(json, undefined, asked.fields ?? shown))
      sendJson(response, 200, listAnswer(data, page, asked))
    },

    async get(request, response, company) {
      const { fields } = recordRequest(request, definition)
      const key = request.params['key'] as string
      const record = await readModels.get(listedUnder(definition, company), object, key)
      if (!record) throw noRecord(definition, key)
      const headers = { ETag: etagOf(record.version) }
      if (!matchesNone(request.headers['if-none-match'], record.version)) return send(response, 304, headers)
      sendJson(response, 200, success(shaped(record.json, undefined, fields ?? shown)), headers)
    },

    async answer(status, path, company, written, more) {
      const { json, headers } = await writtenRecord(options, company, whole, written)
      const record = shaped(json, undefined, shown)
      const body = more ? `${record.slice(0, -1)},${JSON.stringify(more).slice(1)}` : record
      const location = status === 201 ? { Location: `${path}/${written.key}` } : {}
      const unchanged = written.unchanged ? { changedNothing: true } : {}
      return { status, headers: { ...headers, ...location }, body: success(body), ...unchanged }
    },

    async deleted(company, written) {
      const { headers } = await writtenRecord(options, company, whole, written)
      return { status: 200, headers, body: success(JSON.stringify({ Id: written.key, IsDeleted: true })) }
    },
  }
}
