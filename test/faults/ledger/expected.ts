/**
 * What records must be, by the ledger alone: the event file says in which order requests took effect, the ledger what
 * each of them was to do. Nothing here knows how the service works a change out.
 */
import type { StoredEvent } from '../event-file.ts'
import { ACTIONS, type Entry, type Value, type Values } from './ledger.ts'

export interface ExpectedRecord {
  readonly key: string
  readonly version: number
  readonly deleted: boolean
  /** Fields that requests have written; others are not known here. */
  readonly fields: Values
}

/** What a request does to a record, by the event that bears its id. */
export interface Effect {
  readonly type: string
  readonly fields: Values
  /** PATCH: objects are merged, not replaced. */
  readonly merging: boolean
}

/** The mark that a row of a batch, or any other request, leaves in `Notes`. */
function markOf({ data }: StoredEvent): Value | undefined {
  return data['Notes']
}

/** Undefined when the request cannot have led to this event. */
export function effectOf({ intent }: Entry, event: StoredEvent): Effect | undefined {
  const object = event.stream.slice(0, event.stream.indexOf('-'))
  const of = (action: string, fields: Values, merging = false) => ({
    type: `${object}.${action}`,
    fields,
    merging,
  })
  if ('key' in intent && intent.key !== event.stream) return undefined
  if ('object' in intent && intent.object !== object) return undefined
  switch (intent.kind) {
    case 'create':
      return of('created', intent.fields)
    case 'patch':
    case 'put':
      return of('updated', intent.fields, intent.kind === 'patch')
    case 'delete':
      return of('deleted', {})
    case 'restore':
      return of('restored', {})
    case 'act': {
      const { done, to } = ACTIONS[intent.action]
      return of(`workflow.${done}`, { Status: to })
    }
    case 'batch': {
      const row = intent.rows.find(({ Notes }) => Notes === markOf(event))
      return row && of('created', row)
    }
    case 'upsert':
      return of(event.version === 1 ? 'created' : 'updated', {
        ...intent.fields,
        [intent.field]: intent.value,
      })
  }
}

/** What is wrong when an action was taken in a state from which it does not lead; a second approval is such a one. */
export function actionFault({ id, intent }: Entry, before: ExpectedRecord | undefined): string | undefined {
  if (intent.kind !== 'act') return undefined
  const { done, from } = ACTIONS[intent.action]
  const status = before?.fields['Status'] ?? 'Draft'
  if (from.some((state) => state === status)) return undefined
  return `${id}: ${intent.key} was ${done} while ${JSON.stringify(status)}`
}

export function applyEffect(
  before: ExpectedRecord | undefined,
  { key, version }: { readonly key: string; readonly version: number },
  { type, fields, merging }: Effect,
): ExpectedRecord {
  const deleted = type.endsWith('.deleted')
  const after: Record<string, Value> = { ...before?.fields }
  for (const [name, value] of Object.entries(fields))
    after[name] = merging ? merged(after[name], value) : value
  return { key, version, deleted, fields: after }
}

function merged(before: Value | undefined, sent: Value): Value {
  const whole = isObject(before) && isObject(sent)
  return whole ? { ...before, ...sent } : sent
}

export function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null
}
