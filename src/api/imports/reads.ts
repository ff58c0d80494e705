/** What is read of imports: how they stand, their rows, what became of them. */
import { choiceOf } from '../../shapes/choice-of.ts'
import type { RequestHandler, Request, Response } from 'express'
import type { Definitions } from '../../domain/definition.ts'
import { invalid } from '../../domain/errors.ts'
import { allOf } from '../../domain/filter/combine.ts'
import type { Fields } from '../../domain/json.ts'
import { parsePage } from '../../domain/query/page.ts'
import {
  errorRows,
  resultRows,
  withCells,
  type OutgoingRows,
  type ShownRow,
} from '../../imports/error-file.ts'
import { writtenCsv } from '../../imports/formats/csv-writer.ts'
import { writtenXlsx } from '../../imports/formats/xlsx/writer.ts'
import { importOf, isUnderWay, type Import } from '../../imports/import.ts'
import type { Imports } from '../../imports/imports.ts'
import { IMPORT, importDefinition } from '../../imports/objects.ts'
import { hasItsRows } from '../../imports/old-files.ts'
import { suggestMappings } from '../../imports/profiles/profiles.ts'
import { preview } from '../../imports/preview.ts'
import { rowsOf, type PlacedResult } from '../../imports/rows.ts'
import { isRefused, OUTCOMES } from '../../imports/run/outcomes.ts'
import { RowsGone } from '../../imports/staging/staged-rows.ts'
import type { ImportWork } from '../../imports/work.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { principalOf } from '../http/request-context.ts'
import { sendJson, streamChunks, success } from '../http/send.ts'
import type { ActorName } from '../records/actors.ts'
import { listRequest, noParameters, parametersOf } from '../records/list-query.ts'
import { listAnswer } from '../records/record-answers.ts'
import { shownDefinition } from '../records/service-records.ts'
import { importAnswer, rowAnswer } from './answers.ts'
import { seenImport, seenImports } from './see.ts'

export interface ReadRoutes {
  readonly definitions: Definitions
  readonly imports: Imports
  readonly work: ImportWork
  readonly readModels: ReadModels
  readonly actorName: ActorName
}

const LONGEST_WAIT_S = 60
/** How often a state is looked at that another process may change. */
const LOOK_MS = 500
export const DOWNLOAD_TYPES = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
}

/** The import that a path names. */
export const keyOf = (request: Request) => request.params['key'] as string

export async function importText(
  { imports, actorName }: Pick<ReadRoutes, 'imports' | 'actorName'>,
  whole: Import,
): Promise<string> {
  const by = await actorName(whole.company, whole.by)
  return success(JSON.stringify(importAnswer(whole, by, imports.runner.progress.of(whole.key))))
}

export function listImports({ definitions, imports, readModels, actorName }: ReadRoutes): RequestHandler {
  const { progress } = imports.runner
  return async (request, response) => {
    const asked = listRequest(
      request,
      shownDefinition(importDefinition),
      new Map([[IMPORT, importDefinition]]),
    )
    const { company } = principalOf(response)
    const filter = allOf([asked.query.filter, seenImports(definitions, response)])!
    const page = await readModels.list(company, { ...asked.query, filter })
    const answered = async ({ key, json, version }: (typeof page.records)[number]) => {
      const fields = JSON.parse(json) as Fields
      const state = { status: 'live' as const, version, position: 0, fields, createdAt: '', modifiedAt: '' }
      const whole = importOf(company, key, state)!
      return JSON.stringify(importAnswer(whole, await actorName(company, whole.by), progress.of(key)))
    }
    const data = await Promise.all(page.records.map(answered))
    sendJson(response, 200, listAnswer(data, page, asked))
  }
}

export function getImport(routes: ReadRoutes): RequestHandler {
  const { imports } = routes
  return async (request, response) => {
    const wait = waitOf(parametersOf(request, ['wait']).wait)
    const seen = await seenImport(imports, response, keyOf(request))
    const whole = await changed(routes, seen, wait, response)
    const headers: Record<string, string> = isUnderWay(whole) ? { 'Retry-After': '1' } : {}
    sendJson(response, 200, await importText(routes, whole), headers)
  }
}

/** The import once its state or its counts have changed, or it is not under way any more, or the time is over. */
async function changed(
  { imports, work }: ReadRoutes,
  seen: Import,
  seconds: number,
  response: Response,
): Promise<Import> {
  const { progress } = imports.runner
  const until = work.clock.elapsed() + seconds * 1_000
  const standingOf = ({ key, state }: Import) => {
    const { phase, counts } = progress.of(key) ?? {}
    return JSON.stringify([state, phase === 'read' || phase === 'check' ? null : counts])
  }
  const before = standingOf(seen)
  let whole = seen
  while (isUnderWay(whole) && work.clock.elapsed() < until && !response.destroyed) {
    await progress.changed(seen.key, Math.min(LOOK_MS, until - work.clock.elapsed()))
    whole = await imports.find(seen.company, seen.key)
    if (standingOf(whole) !== before) break
  }
  return whole
}

export function previewImport({ imports, work }: ReadRoutes): RequestHandler {
  return async (request, response) => {
    const { rows: count = '20' } = parametersOf(request, ['rows'])
    if (!/^([1-9]|[1-9]\d|100)$/.test(count)) throw invalid('rows', 'must be an integer from 1 to 100')
    const whole = await seenImport(imports, response, keyOf(request))
    sendJson(response, 200, success(JSON.stringify(await preview(work, whole, Number(count)))))
  }
}

/** Mappings that fit the columns of the file: nothing of it is used unasked. */
export function suggestedMappings({ definitions, imports, readModels }: ReadRoutes): RequestHandler {
  return async (request, response) => {
    noParameters(request)
    const { company, object, read } = await seenImport(imports, response, keyOf(request))
    const seen = seenImports(definitions, response)
    const columns = read?.Columns ?? []
    const found = read
      ? await suggestMappings({ definitions, readModels }, company, { object, columns, seen })
      : []
    sendJson(response, 200, success(JSON.stringify(found)))
  }
}

export function listRows({ imports, work }: ReadRoutes): RequestHandler {
  return async (request, response) => {
    const given = parametersOf(request, ['outcome', 'page', 'pageSize'])
    const outcome = given.outcome === undefined ? undefined : choiceOf('outcome', given.outcome, OUTCOMES)
    const { page, pageSize } = parsePage(given.page, given.pageSize)
    const whole = await seenImport(imports, response, keyOf(request))
    const first = (page - 1) * pageSize
    const shown: PlacedResult[] = []
    let total = 0
    for await (const one of rowsOf(work, whole, outcome)) {
      if (total >= first && shown.length < pageSize) shown.push(one)
      total++
    }
    const hasCells =
      whole.kind !== 'undo' && whole.fields['FilesRemovedAt'] === undefined && (await hasItsRows(work, whole))
    const rows: AsyncIterable<ShownRow> = hasCells
      ? withCells(work, whole, inOrder(shown))
      : withoutCells(shown)
    const data: string[] = []
    for await (const row of rows) data.push(JSON.stringify(rowAnswer(whole, row)))
    sendJson(response, 200, listAnswer(data, { total }, { page, pageSize }))
  }
}

async function* inOrder<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

async function* withoutCells(items: readonly PlacedResult[]): AsyncGenerator<ShownRow> {
  for (const { result } of items) yield { result, cells: [] }
}

export type DownloadFormat = 'csv' | 'xlsx'

export const downloadErrors = (routes: ReadRoutes, format: DownloadFormat): RequestHandler =>
  download(routes, 'errors', format, (whole) => {
    if (whole.kind === 'undo') return resultRows(refusedOnly(rowsOf(routes.work, whole)))
    // Asked before the answer begins: half a file would look like a whole one.
    if (whole.fields['FilesRemovedAt'] !== undefined) throw new RowsGone()
    return errorRows(whole, withCells(routes.work, whole, rowsOf(routes.work, whole, 'Failed')))
  })

/** An undo has no cells to correct: its rows are shown with what keeps them. */
async function* refusedOnly(rows: AsyncIterable<PlacedResult>): AsyncGenerator<PlacedResult> {
  for await (const row of rows) if (isRefused(row.result)) yield row
}

export const downloadResults = (routes: ReadRoutes, format: DownloadFormat): RequestHandler =>
  download(routes, 'results', format, (whole) => resultRows(rowsOf(routes.work, whole)))

function download(
  { imports }: ReadRoutes,
  name: string,
  format: DownloadFormat,
  contentOf: (whole: Import) => OutgoingRows,
): RequestHandler {
  return async (request, response) => {
    noParameters(request)
    const whole = await seenImport(imports, response, keyOf(request))
    const headers = { 'Content-Disposition': `attachment; filename="${whole.key}-${name}.${format}"` }
    const { columns, rows } = contentOf(whole)
    const bytes =
      format === 'csv'
        ? writtenCsv(columns, rows)
        : writtenXlsx({ name, columns: columns.map((column) => ({ name: column, text: true })), rows })
    await streamChunks(response, headers, DOWNLOAD_TYPES[format], bytes)
  }
}

function waitOf(text: string | undefined): number {
  if (text === undefined) return 0
  if (!/^\d{1,2}$/.test(text) || Number(text) > LONGEST_WAIT_S)
    throw invalid('wait', `must be a number of seconds up to ${LONGEST_WAIT_S}`)
  return Number(text)
}
