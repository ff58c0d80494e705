/** `/api/v1/warehouse`: what analysts may ask of the tables: what there is, whole tables, SQL. */
import { choiceOf } from '../../shapes/choice-of.ts'
import { Router, type Request, type RequestHandler, type Response } from 'express'
import { NotFound } from '../../domain/errors.ts'
import type { Company, Position } from '../../domain/events/event.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ColumnInfo, ExportFormat, TableInfo, Warehouse } from '../../ports/warehouse.ts'
import type { Area } from '../area.ts'
import { caughtUp } from '../http/at-least.ts'
import { sentValue } from '../http/header-parameters.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { askerOf, type ExportTurns } from './export-turns.ts'
import { JSON_LIMIT, jsonBody } from '../http/body/json-body.ts'
import { noParameters, parametersOf } from '../records/list-query.ts'
import { refuseOthers } from '../http/not-allowed.ts'
import { warehouseDescription, warehouseQuestion } from './openapi.ts'
import { needsNoGrant } from '../policy.ts'
import { readBody } from '../../shapes/body.ts'
import { grantedTables, readableOf } from '../../rights/granted-tables.ts'
import { Refusal } from '../http/problems.ts'
import { principalOf } from '../http/request-context.ts'
import { CSV_TYPE, JSON_LINES_TYPE, JSON_TYPE, sendJson, streamChunks, success } from '../http/send.ts'
import { tableHint, withHint } from './question-hints.ts'

export interface WarehouseRoutes {
  readonly warehouse: Warehouse
  readonly positions: Pick<PositionTokens, 'read'>
  readonly turns: ExportTurns
  readonly clock: Clock
  /** Where the log ends now. */
  readonly head: () => Promise<Position>
  /** How long a read waits for what was written before it. */
  readonly readYourWritesMs: number
}

const TYPES: { readonly [format in ExportFormat]: string } = {
  json: JSON_TYPE,
  jsonl: JSON_LINES_TYPE,
  csv: CSV_TYPE,
  parquet: 'application/vnd.apache.parquet',
}
const FORMATS = Object.keys(TYPES) as ExportFormat[]

/** Waits for what was written before the request: as asked with `Daybook-At-Least`, otherwise as well as it can. */
async function caughtUpFor(
  request: Request,
  company: Company,
  { warehouse, positions, head, readYourWritesMs }: WarehouseRoutes,
): Promise<void> {
  const reached = (position: Position) => warehouse.reached(company, position, readYourWritesMs)
  if (sentValue(request, 'atLeast') === undefined) await reached(await head().catch(() => 0))
  else await caughtUp(request, company, positions, reached)
}

export function warehouseArea(routes: WarehouseRoutes): Area {
  const { warehouse, turns, clock } = routes
  /** The tables that the principal may see. @throws Refusal (403) when it may see none */
  const tablesFor = async (request: Request, response: Response): Promise<readonly TableInfo[]> => {
    const { company, access } = principalOf(response)
    const tables = grantedTables(warehouse.tables, access)
    if (tables.length === 0) throw forbidden('You cannot read any table of the warehouse.')
    await caughtUpFor(request, company, routes)
    return tables
  }

  const list: RequestHandler = async (request, response) => {
    noParameters(request, ['atLeast'])
    const tables = await tablesFor(request, response)
    const { company } = principalOf(response)
    const { rows, ordinal } = await warehouse.contents(company)
    const data = tables.map((table) => described(table, rows[table.name] ?? 0, ordinal))
    const Pagination = { Page: 1, PageSize: data.length, TotalRecords: data.length, TotalPages: 1 }
    sendJson(response, 200, JSON.stringify({ Success: true, Data: data, Pagination }))
  }

  const table: RequestHandler = async (request, response) => {
    const format = formatOf(parametersOf(request, ['format'], ['atLeast']).format)
    const asked = request.params['table'] as string
    const isAsked = ({ name }: TableInfo) => name.toLowerCase() === asked.toLowerCase()
    const granted = (await tablesFor(request, response)).find(isAsked)
    if (!granted) {
      const known = warehouse.tables.find(isAsked)
      if (known) throw forbidden(`You cannot read all of ${known.name}.`)
      throw new NotFound(
        `The warehouse has no table ${asked.slice(0, 100)}${tableHint(asked, warehouse.tables)}`,
      )
    }
    const { name } = granted
    const columns = columnsOf(granted)
    await turns.run(askerOf(response), async () => {
      const bytes = await warehouse.export(principalOf(response).company, { table: name, columns, format })
      await streamChunks(response, attached(`${name}-${today()}.${format}`), TYPES[format], bytes)
    })
  }

  const snapshot: RequestHandler = async (request, response) => {
    noParameters(request, ['atLeast'])
    const granted = await tablesFor(request, response)
    const hidden = warehouse.tables.find((table) => {
      const columns = granted.find(({ name }) => name === table.name)?.columns
      return columns?.length !== table.columns.length
    })
    if (hidden) throw forbidden(`You cannot read all of ${hidden.name}.`)
    await turns.run(askerOf(response), async () => {
      const { bytes, size } = await warehouse.snapshot(principalOf(response).company)
      const headers = { ...attached(`warehouse-${today()}.db`), 'Content-Length': String(size) }
      await streamChunks(response, headers, 'application/vnd.sqlite3', bytes)
    })
  }

  const query: RequestHandler = async (request, response) => {
    noParameters(request, ['atLeast'])
    const tables = await tablesFor(request, response)
    const asked = readBody(warehouseQuestion, request.body, 'The question is not valid.')
    const readable = readableOf(tables)
    const { company } = principalOf(response)
    const answer = await withHint(tables, asked.Sql, () =>
      warehouse.query(company, { sql: asked.Sql, rows: asked.MaxRows, readable }),
    )
    if ('forbidden' in answer) throw forbidden(answer.forbidden)
    sendJson(response, 200, success(answer.json))
  }

  const today = () => new Date(clock.now()).toISOString().slice(0, 10)

  // Which tables somebody may see is known by table, not by route.
  const byTable = needsNoGrant('self')
  const router = Router({ caseSensitive: true })
  refuseOthers(router.route('/').get(byTable, list))
  refuseOthers(router.route('/snapshot').get(byTable, snapshot))
  refuseOthers(router.route('/query').post(byTable, jsonBody(JSON_LIMIT), query))
  refuseOthers(router.route('/:table').get(byTable, table))
  return { segment: 'warehouse', router, openapi: warehouseDescription }
}

const columnsOf = ({ columns }: TableInfo) => columns.map(({ name }) => name)

const formatOf = (given: string = 'json') => choiceOf('format', given, FORMATS)

function described(table: TableInfo, rows: number, position: number) {
  const { name, object, isHistory, description, columns } = table
  return {
    Name: name,
    Object: object,
    IsHistory: isHistory,
    Description: description,
    Rows: rows,
    Position: position,
    Columns: columns.map((column: ColumnInfo) => ({
      Name: column.name,
      Type: column.type,
      Description: column.description,
      Field: column.field ?? null,
      Unit: column.unit ?? null,
      IsPersonal: column.personal,
      IsCurrent: column.current,
    })),
  }
}

const attached = (file: string) => ({ 'Content-Disposition': `attachment; filename="${file}"` })

function forbidden(message: string): Refusal {
  return new Refusal({ status: 403, code: 'FORBIDDEN', message })
}
