/**
 * What a warehouse table is made of: `wh_{Application}_{Object}` and its `_history` (docs/warehouse.md).
 *
 * Both have the same columns for the fields of the object, after a few that every table has.
 */
import { targetOf, type Definitions, type FieldDefinition, type ObjectDefinition } from '../definition.ts'
import type { Position } from '../events/event.ts'

/** What a column holds. `money` is an exact amount, of at most four decimals. */
export type ColumnType = 'text' | 'integer' | 'decimal' | 'money' | 'boolean' | 'date' | 'timestamp' | 'json'

/** Which part of a field a column holds: a lookup is its Key (`value`) and a name, money an amount and a currency. */
export type Part = 'value' | 'name' | 'amount' | 'currency'

/** What a definition asks for. */
export interface WantedColumn {
  readonly field: string
  readonly part: Part
  readonly type: ColumnType
  readonly description: string
  readonly unit?: string
  readonly personal?: boolean
  /** Of a lookup: the object that it points to, and the field that stands for its records. */
  readonly target?: { readonly object: string; readonly display: string }
}

export interface WarehouseColumn extends WantedColumn {
  readonly name: string
  /** The field has been written here after each of these positions, until another column of it took over. */
  readonly from: readonly Position[]
  /** False: the object has no such field any more. The column stays, with the values it has. */
  readonly current: boolean
}

export interface WarehouseTable {
  /** `wh_{Application}_{Object}`; the history table has `_history` after it. */
  readonly name: string
  readonly object: string
  readonly application: string
  readonly description: string
  /** Those of the fields. */
  readonly columns: readonly WarehouseColumn[]
}

/** A value as tables hold it; dates, timestamps and JSON as text. */
export type Cell = string | number | boolean | null

/** A column that does not come from the definition. */
export interface FixedColumn {
  readonly name: string
  readonly type: ColumnType
  readonly description: string
  readonly personal?: boolean
  /** It may mention any field: only those who see all of them see it. */
  readonly tellsOfAll?: boolean
}

const KEY: FixedColumn = { name: 'Key', type: 'text', description: "The record's Key." }
const VERSION: FixedColumn = {
  name: '_Version',
  type: 'integer',
  description: 'How often the record has changed, from 1: its last event.',
}
const STATE: readonly FixedColumn[] = [
  { name: 'IsDeleted', type: 'boolean', description: 'Whether the record is deleted. The row stays.' },
  { name: 'CreatedAt', type: 'timestamp', description: 'When the record was created (UTC).' },
  { name: 'ModifiedAt', type: 'timestamp', description: 'When it last changed, deletes included (UTC).' },
]
const POSITION: FixedColumn = {
  name: '_Position',
  type: 'integer',
  description: "The place of its last event in the order of the company's events, as in the audit.",
}

/** The first columns of every table, one row a record. */
export const CURRENT_COLUMNS: readonly FixedColumn[] = [KEY, ...STATE, VERSION, POSITION]

/** The first columns of every history table, one row a version of a record. */
export const HISTORY_COLUMNS: readonly FixedColumn[] = [
  KEY,
  VERSION,
  { name: 'ValidFrom', type: 'timestamp', description: 'From when the record was so, inclusive (UTC).' },
  { name: 'ValidTo', type: 'timestamp', description: 'Until when, exclusive; empty: it still is so.' },
  {
    name: 'Operation',
    type: 'text',
    description: 'What made it so: created, updated, deleted, restored, workflow.approved …',
  },
  { name: 'ChangedBy', type: 'text', description: 'Key of the user or token that did it.' },
  {
    name: 'ChangedBy_Name',
    type: 'text',
    description: 'The name that it has now; the Key again where it has none.',
    personal: true,
  },
  {
    name: 'Reason',
    type: 'text',
    description: 'What was given as the reason, or the comment of a workflow action.',
    personal: true,
    tellsOfAll: true,
  },
  ...STATE,
  POSITION,
]

export function tableName({ application, name }: ObjectDefinition): string {
  return `wh_${application}_${name}`
}

export function historyName(table: string): string {
  return `${table}_history`
}

/** The columns that the object's fields ask for, in their order. */
export function wantedColumns(definition: ObjectDefinition, definitions: Definitions): WantedColumn[] {
  return definition.fields.flatMap((field) => columnsOf(field, definitions))
}

function columnsOf(field: FieldDefinition, definitions: Definitions): WantedColumn[] {
  const { name, type, description = '', unit, personal } = field
  const common = { field: name, description, ...(unit && { unit }), ...(personal && { personal }) }
  switch (type) {
    case 'money':
      return [
        { ...common, part: 'amount', type: 'money' },
        {
          ...common,
          part: 'currency',
          type: 'text',
          description: `The currency of ${name}_Amount (ISO 4217).`,
        },
      ]
    case 'lookup': {
      const { object, display } = targetOf(definitions, field)
      const target = { object, display }
      return [
        { ...common, part: 'value', type: 'text', target },
        {
          ...common,
          part: 'name',
          type: 'text',
          description: `${display} of the ${object} in ${name}.`,
          target,
        },
      ]
    }
    case 'integer':
    case 'decimal':
    case 'boolean':
    case 'date':
    case 'timestamp':
    case 'json':
      return [{ ...common, part: 'value', type }]
    case 'text':
    case 'longtext':
    case 'choice':
    case 'email':
    case 'url':
      return [{ ...common, part: 'value', type: 'text' }]
  }
}
