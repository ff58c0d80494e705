/**
 * `GET /:object/export`: a list as a file for spreadsheets, with the columns, filter, order and moment that were asked for.
 *
 * It is read page by page while it is sent, so that it never stands in memory. Each record is in it once; of one moment it is
 * with `asOf=now`. It needs the grant `export`, and shows what that grant shows; with `asOf`, what the grant `audit` shows.
 */
import { Router, type Request, type RequestHandler } from 'express'
import { fieldOf, type ObjectDefinition } from '../../domain/definition.ts'
import { Invalid, invalid } from '../../domain/errors.ts'
import type { Fields } from '../../domain/json.ts'
import { writtenCsv } from '../../imports/formats/csv-writer.ts'
import { writtenXlsx } from '../../imports/formats/xlsx/writer.ts'
import type { Page } from '../../ports/read-models.ts'
import type { Narrowing } from '../../rights/narrow-records.ts'
import { caughtUp } from '../http/at-least.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { Refusal } from '../http/problems.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { principalOf } from '../http/request-context.ts'
import { streamChunks } from '../http/send.ts'
import { requires } from '../policy.ts'
import { choiceOf } from '../../shapes/choice-of.ts'
import { askerOf, type ExportTurns } from '../warehouse/export-turns.ts'
import type { AsOf } from './as-of.ts'
import { cellsOf, columnsOf } from './export-columns.ts'
import { listRequest, type ListRequest } from './list-query.ts'
import { objectNamed } from './named-object.ts'
import { narrowingOf, type Narrowed } from './narrowed.ts'
import { ownNames } from './own-names.ts'
import { shownRecords } from './record-answers.ts'

export interface ExportRoutes extends Narrowed {
  readonly readModels: Narrowed['readModels']
  readonly positions: PositionTokens
  readonly readYourWritesMs: number
  readonly asOf: Pick<AsOf, 'list'>
  readonly turns: ExportTurns
}

/** More than a spreadsheet is good for; the warehouse exports whole tables. */
export const MOST_ROWS = 100_000
/** Records that are read at once. */
const PAGE = 200

const TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const
const FORMATS = Object.keys(TYPES) as (keyof typeof TYPES)[]

export function exportRoutes(routes: ExportRoutes): Router {
  const { readModels, positions, readYourWritesMs, asOf, turns } = routes

  const download: RequestHandler = async (request, response) => {
    const { company } = principalOf(response)
    const looksBack = request.query['asOf'] !== undefined
    const present = narrowingOf(routes, response, looksBack ? 'audit' : 'export')
    const definition = objectNamed(routes.definitions, request)
    const seen = present.view.definitions.get(definition.object) ?? definition
    const asked = exportRequest(request, seen, present)
    const { access } = principalOf(response)
    if (looksBack && access.grant(definition.object, 'export')?.shares !== undefined)
      throw new Refusal({
        status: 403,
        code: 'FORBIDDEN',
        message: `Looking back, ${definition.object} can be exported only by those who may export all of it.`,
      })
    await caughtUp(request, company, positions, (position) => readModels.reached(position, readYourWritesMs))
    const then = asked.asOf ? await asOf.list(response, present, seen, asked.asOf) : present
    await turns.run(askerOf(response), async () => {
      const first = await pageOf(then, asked, 0)
      if (first.total > MOST_ROWS)
        throw invalid('filter', `leaves ${first.total} records; a file takes ${MOST_ROWS} at the most`)
      const names = namesOf(request, seen)
      const columns = columnsOf(seen, names)
      const rows = rowsOf({ narrowing: then, naming: present }, seen, asked, names, first)
      const format = formatOf(request)
      const headers = { 'Content-Disposition': `attachment; filename="${definition.object}.${format}"` }
      const bytes =
        format === 'csv'
          ? writtenCsv(columns, rows)
          : writtenXlsx({ name: definition.name, columns: columns.map((name) => ({ name })), rows })
      await streamChunks(response, headers, TYPES[format], bytes)
    })
  }

  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/:object/export').get(requires('export', ':object'), download))
  return router
}

function exportRequest(request: Request, definition: ObjectDefinition, { view }: Narrowing): ListRequest {
  const paging = ['page', 'pageSize', 'expand'].filter((name) => request.query[name] !== undefined)
  if (paging.length > 0)
    throw new Invalid(
      'An export has no pages.',
      paging.map((Field) => ({ Field, Message: 'is not taken by an export' })),
    )
  formatOf(request)
  return listRequest(request, definition, view.definitions, true, ['format'])
}

function formatOf({ query }: Request): keyof typeof TYPES {
  const { format = 'csv' } = query
  // A list of them is refused with the other parameters.
  return typeof format === 'string' ? choiceOf('format', format, FORMATS) : 'csv'
}

/** In the order in which they were asked for; left out: all fields of the definition. */
function namesOf({ query }: Request, { fields }: ObjectDefinition): readonly string[] {
  const given = query['fields']
  if (typeof given !== 'string') return ['Id', ...fields.map(({ name }) => name), 'CreatedAt', 'ModifiedAt']
  return given.split(',').map((name) => name.trim())
}

const pageOf = ({ readModels, company, view }: Narrowing, { query }: ListRequest, offset: number) =>
  readModels.list(company, view.query({ ...query, offset, limit: PAGE, expand: [] }))

/** @param naming where names of looked-up records are counted: as an import finds them, now */
async function* rowsOf(
  { narrowing, naming }: { readonly narrowing: Narrowing; readonly naming: Narrowing },
  definition: ObjectDefinition,
  asked: ListRequest,
  names: readonly string[],
  first: Page,
) {
  const types = names.map((name) => fieldOf(definition, name)!)
  /** A record moves to another page when others change while the pages are read. */
  const done = new Set<string>()
  for (let page = first, offset = 0; page.records.length > 0 && done.size < MOST_ROWS;) {
    const fresh = page.records.filter(({ key }) => !done.has(key))
    for (const { key } of fresh) done.add(key)
    const texts = await shownRecords(narrowing, definition, fresh)
    const records = texts.flatMap((text) => (text === undefined ? [] : [JSON.parse(text) as Fields]))
    const isKnown = await ownNames(naming, types, records)
    for (const record of records) yield cellsOf(types, record, isKnown)
    offset += PAGE
    if (page.records.length < PAGE) return
    page = await pageOf(narrowing, asked, offset)
  }
}
