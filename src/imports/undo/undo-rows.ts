/** The rows of a chunk, undone: the same code does it and judges it in a check. */
import type { Caller } from '../../commands/command.ts'
import { derivedId } from '../../commands/support/identifiers.ts'
import type { Written } from '../../commands/support/record-appends.ts'
import { lookupsTo, type ObjectDefinition } from '../../domain/definition.ts'
import { Conflict, Forbidden, PreconditionFailed, type Fault } from '../../domain/errors.ts'
import type { RecordedEvent } from '../../domain/events/event.ts'
import type { Filter } from '../../domain/filter/ast.ts'
import { shows, sightOf, type Sight } from '../../domain/grant.ts'
import type { Access } from '../../rights/access.ts'
import { BANK_LINE } from '../bank/bank-file.ts'
import { isOfMatching, unmatchFirst } from '../bank/run/undo-bank.ts'
import type { Import } from '../import.ts'
import { nameOfRow } from '../run/corrections.ts'
import { rowFaultOf } from '../run/faults.ts'
import type { RowResult } from '../run/outcomes.ts'
import { callerOf, loadImport, quietOf, type ImportWork } from '../work.ts'
import { familyOf, type Family } from './family.ts'
import { judgeUndo, type UndoDecision } from './judge-undo.ts'
import type { DoneRow } from './plan.ts'

/** Times that a row is judged again after somebody has changed its record. */
const ATTEMPTS = 4
const MOST_REFERRERS = 500

export interface UndoRun {
  readonly work: ImportWork
  readonly undo: Import
  readonly original: Import
  readonly definition: ObjectDefinition
  readonly family: Family
}

export function openUndo(work: ImportWork, undo: Import, original: Import): UndoRun {
  const load = (company: string, key: string) => loadImport(work, company, key)
  const definition = work.definitions.get(undo.object)
  if (!definition) throw new Forbidden(`${undo.object} is not served any more`)
  return { work, undo, original, definition, family: familyOf(original, load) }
}

/**
 * @throws Unavailable when a row could not be done: those that were are recognized when the chunk is run again
 * @throws Forbidden when the import is not granted any more
 */
export async function undoRows(
  run: UndoRun,
  rows: readonly DoneRow[],
  isDryRun: boolean,
): Promise<readonly RowResult[]> {
  const { work, undo, original } = run
  const access = await work.accessOf(undo.company, undo.by)
  if (!access?.grant(undo.object, 'import'))
    throw new Forbidden(`import ${undo.object} is not granted any more to ${undo.by}`)
  const caller: Caller = {
    ...callerOf(work, undo),
    ...quietOf(original),
    reads: (of: string) => access.grant(of, 'read'),
    reason: `undo of ${original.key}`,
    ...(isDryRun && { dryRun: { taken: new Map<number, number>() } }),
  }
  const turn = work.pace()
  /** Rows of one record are undone one after the other. */
  const last = new Map<string, Promise<unknown>>()
  const results: Promise<RowResult | undefined>[] = []
  for (const row of rows) {
    const go = () => undoRow(run, row, caller, access)
    const result = last.has(row.key) ? last.get(row.key)!.then(go, go) : go()
    last.set(
      row.key,
      result.catch(() => {}),
    )
    results.push(result)
    await turn()
  }
  const settled = await Promise.allSettled(results)
  const broken = settled.find((one) => one.status === 'rejected')
  if (broken) throw broken.reason
  return settled.flatMap((one) => (one as PromiseFulfilledResult<RowResult | undefined>).value ?? [])
}

/** Undefined: the row did nothing to the record. */
async function undoRow(
  run: UndoRun,
  { row, key }: DoneRow,
  caller: Caller,
  access: Access,
): Promise<RowResult | undefined> {
  const { work, undo, original, definition, family } = run
  const source = `import:${nameOfRow(undo.key, row)}`
  const sight = sightOf(access.grant(undo.object, 'read'))
  const isLine = definition.object === BANK_LINE
  const isBusy = [{ Field: '', Message: 'is being changed by others at this moment' }]
  for (let attempt = 1; ; attempt++) {
    let isMatched = false
    if (isLine)
      try {
        isMatched = await unmatchFirst(work, caller, key)
      } catch (error) {
        if (error instanceof PreconditionFailed && attempt < ATTEMPTS) continue
        const isRefused = error instanceof Conflict || error instanceof PreconditionFailed
        if (!isRefused) throw error
        const faults = error instanceof Conflict ? [{ Field: '', Message: error.message }] : isBusy
        return { row, outcome: 'Kept', key, version: 0, fault: { code: 'CONFLICT', faults } }
      }
    const events = await work.events.read(undo.company, key)
    await family.meet(events)
    const decision = judgeUndo({
      definition,
      events,
      source: `import:${nameOfRow(original.key, row)}`,
      undoing: source,
      conflicts: undo.options.Conflicts,
      isOwn: (event) => family.has(event) || (isLine && isOfMatching(event)),
    })
    const version = events.at(-1)?.version ?? 0
    const kept = (faults: readonly Fault[], at = version): RowResult => ({
      row,
      outcome: 'Kept',
      key,
      version: at,
      fault: { code: 'CONFLICT', faults: shownFaults(faults, sight) },
    })
    if (decision.is === 'absent') return undefined
    if (decision.is === 'unchanged') return { row, outcome: 'Unchanged', key, version }
    if (decision.is === 'kept') return kept(decision.faults)
    const whole = (at: number, faults: readonly Fault[] = []): RowResult =>
      faults.length > 0 ? kept(faults, at) : { row, outcome: 'Undone', key, version: at }
    if (decision.is === 'done') return whole(decision.version, decision.faults)
    try {
      const { state } = await writeUndo(run, key, decision, asRow(caller, undo, row, source), access)
      return whole(state.version, decision.is === 'update' ? decision.faults : [])
    } catch (error) {
      if (error instanceof PreconditionFailed) {
        if (attempt < ATTEMPTS) continue
        return kept(isBusy)
      }
      if (error instanceof Conflict && decision.is === 'delete') {
        if (caller.dryRun && (isMatched || (await referredToByOwn(run, key)))) return whole(version)
        return kept(error.faults.length > 0 ? error.faults : [{ Field: '', Message: error.message }])
      }
      const fault = rowFaultOf(error)
      if (!fault) throw error
      // Its statement comes back before it.
      if (caller.dryRun && isLine && fault.faults.every(({ Field }) => Field === 'Statement'))
        return whole(version)
      return { row, outcome: 'Failed', key, version, fault }
    }
  }
}

const asRow = (caller: Caller, { key, committedAt }: Import, row: number, source: string): Caller => ({
  ...caller,
  command: derivedId(`${key}/${row}`),
  repeatedFrom: caller.dryRun ? undefined : committedAt,
  // Whether it was done before was looked for in the record's events.
  runsFirst: true,
  source,
  causation: key,
})

async function writeUndo(
  { work: { write }, undo, definition }: UndoRun,
  key: string,
  decision: Exclude<UndoDecision, { is: 'absent' | 'unchanged' | 'kept' | 'done' }>,
  caller: Caller,
  access: Access,
): Promise<Written> {
  const action = decision.is === 'update' ? 'update' : 'delete'
  const grant = access.grant(undo.object, action)
  if (!grant) throw new Forbidden(`${action} ${undo.object} is not granted`)
  const by = { ...caller, grant }
  const change = { definition, key, expected: [decision.expected] }
  if (decision.is === 'update')
    return write.update(by, { ...change, body: decision.body, writing: 'replace' })
  return decision.is === 'delete' ? write.remove(by, change) : write.restore(by, change)
}

/** Fields that may not be read are not named. */
function shownFaults(faults: readonly Fault[], sight: Sight): readonly Fault[] {
  const shown = faults.filter(({ Field }) => Field === '' || Field.includes('.') || shows(sight, Field))
  return shown.length > 0
    ? shown
    : [{ Field: '', Message: 'was changed since, in fields that are not shown to you' }]
}

/**
 * In a check nothing is deleted yet: whether all records that look this one up were made by the same import, and so would be deleted before it.
 */
async function referredToByOwn(
  { work, undo: { company }, definition, family }: UndoRun,
  key: string,
): Promise<boolean> {
  for (const { definition: on, field } of lookupsTo(work.definitions, definition.object)) {
    const path = { text: field.name, hops: [], on, field, kind: 'exact' } as const
    const filter: Filter = { op: 'compare', path, by: 'eq', value: key, negated: false }
    const asked = { object: on.object, filter, sort: [], offset: 0, limit: MOST_REFERRERS, expand: [] }
    const { records, total } = await work.readModels.list(company, asked)
    if (total > 0 && (on.object !== definition.object || total > records.length)) return false
    for (const record of records) {
      if (record.key === key) continue
      const events: readonly RecordedEvent[] = await work.events.read(company, record.key)
      await family.meet(events)
      if (!events[0] || !family.has(events[0])) return false
    }
  }
  return true
}
