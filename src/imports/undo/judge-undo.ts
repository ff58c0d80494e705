/**
 * What undoing a row of an import means for its record, by the record's own events: what the row did is taken back where nobody
 * has changed it since (docs/imports.md#undo). Pure.
 */
import { isDeepStrictEqual } from 'node:util'
import { fieldOf, type ObjectDefinition } from '../../domain/definition.ts'
import type { Fault } from '../../domain/errors.ts'
import type { RecordedEvent } from '../../domain/events/event.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { absent, evolve, happeningOf, type RecordState } from '../../domain/records/record.ts'
import type { CommitOptions } from '../import.ts'

/** What others' changes mean: the row stays, its untouched fields are set back, or all of it is. */
export type Conflicts = CommitOptions['Conflicts']

export interface JudgeUndo {
  readonly definition: ObjectDefinition
  /** All events of the record. */
  readonly events: readonly RecordedEvent[]
  /** Source of what the row did. */
  readonly source: string
  /** Source of what undoing the row did, should it be done already. */
  readonly undoing: string
  readonly conflicts: Conflicts
  /** Whether an event comes from the import, or from undoing it. */
  readonly isOwn: (event: RecordedEvent) => boolean
}

export type UndoDecision =
  /** The row did nothing to the record. */
  | { readonly is: 'absent' }
  /** It is as it was before the row already. */
  | { readonly is: 'unchanged' }
  | { readonly is: 'kept'; readonly faults: readonly Fault[] }
  /** An earlier run has done it. */
  | { readonly is: 'done'; readonly version: number; readonly faults: readonly Fault[] }
  | { readonly is: 'delete' | 'restore'; readonly expected: number }
  /** `faults`: of the fields that stay. */
  | {
      readonly is: 'update'
      readonly expected: number
      readonly body: Fields
      readonly faults: readonly Fault[]
    }

export function judgeUndo(asked: JudgeUndo): UndoDecision {
  const { events, source, undoing } = asked
  const at = events.findIndex(({ metadata }) => metadata.source === source)
  const did = events[at]
  if (!did) return { is: 'absent' }
  const before = events.slice(0, at).reduce(evolve, absent)
  const after = evolve(before, did)
  const later = events.slice(at + 1).filter((event) => changes(event))
  const done = later.find(({ metadata }) => metadata.source === undoing)
  const now = events.reduce(evolve, absent)
  if (happeningOf(did.type) === 'changed') return judgeChange(asked, { before, after, now, later, done })
  if (done) return { is: 'done', version: done.version, faults: [] }
  const wanted = happeningOf(did.type) === 'deleted' ? 'live' : 'deleted'
  if (now.status === wanted) return { is: 'unchanged' }
  const others = later.filter((event) => !asked.isOwn(event))
  if (others.length > 0 && asked.conflicts !== 'force') return { is: 'kept', faults: changedSince(others) }
  return { is: wanted === 'live' ? 'restore' : 'delete', expected: now.version }
}

interface ChangedRecord {
  readonly before: RecordState
  readonly after: RecordState
  readonly now: RecordState
  readonly later: readonly RecordedEvent[]
  readonly done: RecordedEvent | undefined
}

/** The row has changed fields: they get their earlier values. */
function judgeChange(asked: JudgeUndo, { before, after, now, later, done }: ChangedRecord): UndoDecision {
  const { definition, conflicts, isOwn } = asked
  const others = later.filter((event) => event !== done && !isOwn(event))
  const changed = definition.fields
    .map(({ name }) => name)
    .filter((name) => !isDeepStrictEqual(before.fields[name], after.fields[name]))
  const body: Record<string, Json> = {}
  const stays: string[] = []
  for (const name of changed) {
    if (fieldOf(definition, name)!.readOnly || isDeepStrictEqual(now.fields[name], before.fields[name]))
      continue
    const isTouched =
      others.some(({ data }) => name in data) || !isDeepStrictEqual(now.fields[name], after.fields[name])
    if (isTouched && conflicts !== 'force') stays.push(name)
    else body[name] = before.fields[name] ?? null
  }
  const faults = changedSince(others.filter(({ data }) => stays.some((name) => name in data))).filter(
    ({ Field }) => stays.includes(Field),
  )
  for (const Field of stays)
    if (!faults.some((one) => one.Field === Field))
      faults.push({ Field, Message: 'has another value than the row gave it' })
  if (done) return { is: 'done', version: done.version, faults }
  if (now.status === 'deleted') return deletedSince(others)
  if (Object.keys(body).length + stays.length === 0) return { is: 'unchanged' }
  if (conflicts === 'keep' && others.length > 0) return { is: 'kept', faults: changedSince(others) }
  return Object.keys(body).length === 0
    ? { is: 'kept', faults }
    : { is: 'update', expected: now.version, body, faults }
}

/** A record that the import's own undoing has deleted has nothing to be set back. */
function deletedSince(others: readonly RecordedEvent[]): UndoDecision {
  const faults = changedSince(others).filter(({ Field }) => Field === '')
  return faults.length > 0 ? { is: 'kept', faults } : { is: 'unchanged' }
}

/** Named events say what a change meant, and change nothing themselves. */
const changes = ({ type, data }: RecordedEvent): boolean =>
  happeningOf(type) !== 'changed' || Object.keys(data).length > 0

/** Each field with who changed it last, and when. */
function changedSince(events: readonly RecordedEvent[]): Fault[] {
  const last = new Map<string, Fault>()
  for (const { type, data, metadata } of events) {
    const { onBehalfOf, actor, recordedAt } = metadata
    const by = `at ${recordedAt} by ${onBehalfOf ?? actor}`
    const happening = happeningOf(type)
    if (happening !== 'changed') last.set('', { Field: '', Message: `was ${happening} ${by}` })
    else for (const Field of Object.keys(data)) last.set(Field, { Field, Message: `was changed ${by}` })
  }
  return [...last.values()]
}
