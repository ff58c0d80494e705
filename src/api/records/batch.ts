/** `POST /{object}/batch`: up to 500 records, each standing alone, answered in the order given. */
import type { Request } from 'express'
import type { Caller } from '../../commands/command.ts'
import { derivedId } from '../../commands/support/identifiers.ts'
import { together } from '../../commands/together.ts'
import type { RecordedAnswer } from '../../commands/support/idempotency.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { invalid, Refused, type Fault } from '../../domain/errors.ts'
import { isObject, type Json } from '../../domain/json.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { writtenAt } from '../http/at-least.ts'
import { endTurn } from '../http/body/body-turns.ts'
import { forgetBytes } from '../http/body/json-body.ts'
import { pace } from '../http/limits/pace.ts'
import type { PositionTokens } from '../http/position-tokens.ts'
import { shownDetails, toProblem } from '../http/problems.ts'
import { success } from '../http/send.ts'

export interface Batch {
  readonly definitionOf: (request: Request) => ObjectDefinition
  readonly write: Pick<WriteRecords, 'create' | 'createRows'>
  readonly readModels: ReadModels
  readonly positions: Pick<PositionTokens, 'write'>
  readonly readYourWritesMs: number
  /** Counts the rows against the company. @throws Refusal (429) */
  readonly charge: (request: Request, rows: number) => void
}

/** For `jsonRowsBody`. */
export const BATCH_ROWS = { member: 'Records', most: 500 }

/** How many faults all rows report together before those that follow report one each. */
const MOST_DETAILS = 2_000

const MEMBERS = ['Records', 'AllowPastDates']

export function batchRoute(batch: Batch) {
  const { definitionOf, write, readModels, positions, readYourWritesMs, charge } = batch
  return async (caller: Caller, request: Request): Promise<RecordedAnswer> => {
    const definition = definitionOf(request)
    const { records, importing } = readBatch(request.body as Json)
    forgetBytes(request)
    charge(request, records.length)
    let last = 0
    const createRow = async (as: Caller, body: Json, Index: number): Promise<RowResult> => {
      try {
        const row = { ...as, command: derivedId(`${caller.command}/${Index}`) }
        return created(Index, await write.create(row, { definition, body, importing }))
      } catch (error) {
        return refused(Index, error)
      }
    }
    const created = (Index: number, { key, position, judgedOnly }: Written): RowResult => {
      last = Math.max(last, position)
      return { Index, Status: 201, Id: judgedOnly ? null : key }
    }
    const oneByOne = async (): Promise<readonly RowResult[]> => {
      const turn = pace()
      const chunk = together(caller)
      const rows: Promise<RowResult>[] = []
      for (const [index, record] of records.entries()) {
        rows.push(createRow(chunk.caller, record, index))
        // Also while its turn lasts: what the rows before go on with belongs to it.
        await turn()
      }
      chunk.go()
      return Promise.all(rows)
    }
    const inPacks = async (): Promise<readonly RowResult[]> => {
      const rows = await write.createRows(caller, { definition, bodies: records, importing })
      return rows.map((row, i) => (row instanceof Refused ? refused(i, row) : created(i, row)))
    }
    const results = withFewDetails(await (definition.appendOnly ? inPacks() : oneByOne()))
    endTurn(request)
    const seen = await readModels.reached(last, readYourWritesMs)
    const headers = {
      ...(last > 0 && { 'Daybook-Position': writtenAt(positions, caller.company, last) }),
      ...(!seen && { 'Daybook-Read-Lag': 'true' }),
    }
    // What a store that is away has left undone is done when the request comes again.
    const unfinished = results.some(({ Status }) => Status >= 500)
    return { status: 200, headers, body: success(JSON.stringify(results)), ...(unfinished && { unfinished }) }
  }
}

function refused(Index: number, error: unknown): RowResult {
  const { status, code, message, details = [] } = toProblem(error)
  return { Index, Status: status, Error: { Code: code, Message: message, Details: shownDetails(details) } }
}

type RowResult =
  | { readonly Index: number; readonly Status: number; readonly Id: string | null }
  | { readonly Index: number; readonly Status: number; readonly Error: RowError }

interface RowError {
  readonly Code: string
  readonly Message: string
  readonly Details: readonly Fault[]
}

/** A batch that is wrong throughout is not answered with all of its faults. */
function withFewDetails(results: readonly RowResult[]): readonly RowResult[] {
  let details = 0
  return results.map((result) => {
    if (!('Error' in result)) return result
    const { Details } = result.Error
    details += Details.length
    if (details <= MOST_DETAILS) return result
    return { ...result, Error: { ...result.Error, Details: shownDetails(Details, 1) } }
  })
}

function readBatch(body: Json): { records: readonly Json[]; importing: boolean } {
  if (!isObject(body)) throw invalid('', 'must be a JSON object {Records: [...]}')
  const unknown = Object.keys(body).find((name) => !MEMBERS.includes(name))
  if (unknown !== undefined)
    throw invalid(unknown.slice(0, 100), `is unknown; a batch has ${MEMBERS.join(' and ')}`)
  const { Records: records, AllowPastDates: importing = false } = body
  if (!Array.isArray(records)) throw invalid('Records', 'must be an array of records')
  if (records.length === 0 || records.length > BATCH_ROWS.most)
    throw invalid('Records', `must hold 1 to ${BATCH_ROWS.most} records`)
  if (typeof importing !== 'boolean') throw invalid('AllowPastDates', 'must be true or false')
  return { records: records as readonly Json[], importing }
}
