/** The rows of a chunk, as commands: the same code commits them and judges them in a check. */
import type { Caller } from '../../commands/command.ts'
import { together } from '../../commands/together.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import type { Claim, UniqueClaims } from '../../commands/support/unique-claims.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import { fieldOf, type ObjectDefinition } from '../../domain/definition.ts'
import { Conflict, Invalid, NotFound, type Fault } from '../../domain/errors.ts'
import { readValue } from '../../domain/fields/field-values.ts'
import { ValueFault } from '../../domain/fields/types/rules.ts'
import type { Grant } from '../../domain/grant.ts'
import type { Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { ROW_COLUMN } from '../mapping/propose.ts'
import { rowBodies, type RowBody } from '../mapping/row-body.ts'
import type { StagedRow } from '../staging/staged-rows.ts'
import { nameOfRow, type RowIdentities } from './corrections.ts'
import { rowFaultOf, type RowFault } from './faults.ts'
import type { Lookups } from './lookups.ts'
import type { RowResult } from './outcomes.ts'
import { withTakenValues } from './taken-values.ts'

/** Goes on when this turn of the event loop has not lasted too long. */
export type Pace = () => Promise<void> | undefined

export interface RunRows {
  readonly importKey: string
  readonly definition: ObjectDefinition
  readonly mapping: Mapping
  readonly columns: readonly string[]
  readonly write: Pick<WriteRecords, 'create' | 'update'>
  readonly ownerOf: UniqueClaims['ownerOf']
  readonly lookups: Lookups
  readonly identities: RowIdentities
  /** Of a row that has the key of an earlier one: that row. */
  readonly duplicateOf: (row: number) => number | undefined
  /** Another row of the file that has the unique value, and is written. */
  readonly twinOf: (row: number, claim: Claim) => number | undefined
  readonly pace: () => Pace
}

/** The caller that rows are written by, with what is granted at this moment. */
export interface RowCaller {
  /** Creates. */
  readonly caller: Caller
  /** What of existing records may be written; undefined: nothing. */
  readonly updating: Grant | undefined
  /** No earlier run can have done any of the rows. */
  readonly isFirst: boolean
}

/**
 * @param sent called when all rows are with the store
 * @throws Unavailable when a row could not be done: those that were are recognized when the chunk is run again
 */
export async function runRows(
  options: RunRows,
  rows: readonly StagedRow[],
  as: RowCaller,
  sent?: () => void,
): Promise<readonly RowResult[]> {
  const bodyOf = rowBodies(options.definition, options.mapping, options.columns)
  const bodies = rows.map(({ cells }) => bodyOf(cells))
  await options.lookups.find(
    as.caller,
    bodies.flatMap(({ lookups }) => lookups),
  )
  const turn = options.pace()
  const chunk = together(as.caller)
  const each: RowCaller = { ...as, caller: chunk.caller }
  /** Rows with one key are run in their order. */
  const last = new Map<string, Promise<unknown>>()
  const results: Promise<RowResult>[] = []
  try {
    for (const [i, row] of rows.entries()) {
      const body = bodies[i]!
      const run = () => runRow(options, row, body, each)
      const chained = body.key === undefined ? undefined : JSON.stringify(body.key)
      const before = chained === undefined ? undefined : last.get(chained)
      const result = before ? before.then(run) : run()
      if (chained !== undefined)
        last.set(
          chained,
          result.catch(() => {}),
        )
      // Awaited with the others, after turns of everything else: until then its refusal is nobody's.
      result.catch(() => {})
      results.push(result)
      await turn()
    }
  } finally {
    chunk.go()
    sent?.()
  }
  const settled = await Promise.allSettled(results)
  const broken = settled.find((one) => one.status === 'rejected')
  if (broken) throw broken.reason
  const said: RowResult[] = []
  for (const [i, one] of settled.entries()) {
    const { value } = one as PromiseFulfilledResult<RowResult>
    // Once the others are written: their values may be what is wrong with it.
    const all = value.fault && (await everyFault(options, rows[i]!, bodies[i]!, as, value.fault))
    said.push(all ? { ...value, ...all } : value)
    if (all) await turn()
  }
  return said
}

async function runRow(options: RunRows, row: StagedRow, body: RowBody, as: RowCaller): Promise<RowResult> {
  const { number } = row
  try {
    const identity = await options.identities.of(row)
    const { whole, faults } = wholeBody(options, row, body)
    if (!identity) faults.push({ Field: ROW_COLUMN, Message: 'names no row of an import into this object' })
    if (faults.length > 0) throw new Invalid('The row is not valid.', faults)
    const { dryRun } = as.caller
    const caller: Caller = {
      ...as.caller,
      ...(dryRun && { dryRun: { ...dryRun, place: number } }),
      command: identity!.command,
      repeatedFrom: dryRun ? undefined : identity!.repeatedFrom,
      runsFirst: as.isFirst && !identity!.isCorrection,
      source: `import:${nameOfRow(options.importKey, number)}`,
      causation: options.importKey,
    }
    const written = await writeRow(options, caller, as.updating, whole, body.key)
    return { row: number, ...outcomeOf(options.importKey, written) }
  } catch (error) {
    const existing = await existingRecord(options, as.caller, body, error)
    if (existing !== undefined) return { row: number, outcome: 'Skipped', key: existing }
    const fault = rowFaultOf(error)
    if (!fault) throw error
    return { row: number, outcome: 'Failed', fault }
  }
}

/**
 * What is wrong with a refused row beside what ended it.
 * @throws Unavailable when the stores are away
 */
async function everyFault(
  options: RunRows,
  row: StagedRow,
  body: RowBody,
  { caller, updating }: RowCaller,
  fault: RowFault,
): Promise<Pick<RowResult, 'fault' | 'twins'>> {
  const { definition, mapping, ownerOf } = options
  if (row.wrong !== undefined || fault.code === 'FORBIDDEN' || fault.code === 'NOT_FOUND') return { fault }
  const { whole, faults: ofRow } = wholeBody(options, row, body)
  const judging: Caller = { ...caller, dryRun: { taken: new Map() } }
  const judged = () => writeRow(options, judging, updating, whole, body.key)
  const named = new Set(fault.faults.map(({ Field }) => Field))
  const more = ofRow.length === 0 ? [] : await judged().then(() => [], faultsThrown)
  const keyField = mapping.Mode === 'create' ? undefined : mapping.KeyField
  const own =
    keyField === undefined || (body.key ?? null) === null
      ? undefined
      : await recordOf(ownerOf, caller, definition, keyField, body.key).catch(unlessRefused)
  const { faults, twins } = await withTakenValues(
    {
      company: caller.company,
      definition,
      ownerOf,
      own,
      keyField,
      twinOf: (claim) => options.twinOf(row.number, claim),
    },
    whole,
    [...fault.faults, ...more.filter(({ Field }) => !named.has(Field))],
  )
  return { fault: { ...fault, faults }, ...(Object.keys(twins).length > 0 && { twins }) }
}

/** @throws the error where it is not a fault of the row */
function faultsThrown(error: unknown): readonly Fault[] {
  const fault = rowFaultOf(error)
  if (!fault) throw error
  return fault.faults
}

function unlessRefused(error: unknown): undefined {
  faultsThrown(error)
}

/** The record that has the row's key, where such rows are left as they are. */
async function existingRecord(
  { mapping, definition, ownerOf }: RunRows,
  caller: Caller,
  { key }: RowBody,
  error: unknown,
): Promise<string | undefined> {
  const { OnExisting, KeyField = '' } = mapping
  if (OnExisting !== 'skip' || !(error instanceof Conflict) || error.faults[0]?.Field !== KeyField)
    return undefined
  return recordOf(ownerOf, caller, definition, KeyField, key)
}

/** What can be read of the row, and everything that is wrong with the row itself. */
function wholeBody(
  { lookups, duplicateOf, mapping }: RunRows,
  { number, wrong }: StagedRow,
  { body, faults, lookups: wanted }: RowBody,
): { readonly whole: Readonly<Record<string, Json>>; readonly faults: Fault[] } {
  const all: Fault[] = [...faults]
  if (wrong !== undefined) all.push({ Field: '', Message: wrong })
  const first = mapping.DuplicatesInFile === 'error' ? duplicateOf(number) : undefined
  if (first !== undefined)
    all.push({ Field: mapping.KeyField ?? '', Message: `is in row ${first} of this file already` })
  const whole: Record<string, Json> = { ...body }
  for (const one of wanted) {
    const found = lookups.resolve(one)
    if (found !== null && typeof found === 'object') all.push(found)
    else whole[one.field.name] = found
  }
  return { whole, faults: all }
}

async function writeRow(
  { definition, mapping, write, ownerOf }: RunRows,
  caller: Caller,
  updating: Grant | undefined,
  body: Json,
  keyValue: Json | undefined,
): Promise<Written> {
  const { Mode, KeyField, AllowPastDates } = mapping
  const owner =
    Mode === 'create' ? undefined : await recordOf(ownerOf, caller, definition, KeyField!, keyValue)
  if (owner !== undefined) {
    const change = { definition, key: owner, body, writing: 'replace' as const }
    return write.update({ ...caller, grant: updating }, change)
  }
  if (Mode === 'update' || (KeyField === 'Id' && keyValue !== undefined))
    throw new NotFound(`there is no ${definition.object} with this ${KeyField}`)
  return write.create(caller, { definition, body, importing: AllowPastDates })
}

/** The Key of the record that the row is about; undefined when there is none yet. */
async function recordOf(
  ownerOf: UniqueClaims['ownerOf'],
  { company }: Caller,
  definition: ObjectDefinition,
  keyField: string,
  given: Json | undefined,
): Promise<string | undefined> {
  const field = fieldOf(definition, keyField)!
  if (given === undefined || given === null)
    throw new Invalid(`${keyField} is missing`, [{ Field: keyField, Message: 'is required' }])
  if (keyField === 'Id')
    return typeof given === 'string' && isKeyOf(definition.object, given) ? given : undefined
  const value = readValue(field, given)
  if (value instanceof ValueFault)
    throw new Invalid(`${keyField} is not valid`, [{ Field: keyField, Message: value.message }])
  return ownerOf(company, definition, { field, value })
}

function outcomeOf(importKey: string, { key, state, created, unchanged, repeatedBy }: Written) {
  const version = state.version
  if (repeatedBy !== undefined && !repeatedBy.startsWith(`import:${importKey}#`))
    return { outcome: 'Skipped' as const, key, version }
  const outcome = created ? ('Created' as const) : unchanged ? ('Unchanged' as const) : ('Updated' as const)
  return { outcome, key, version }
}
