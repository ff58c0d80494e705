/**
 * Rows as Parquet, with their types: amounts as DECIMAL(19, 4), dates as DATE, timestamps as TIMESTAMP (UTC), booleans as
 * BOOLEAN. One row group after another, so that memory does not grow with the table.
 */
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer'
import type { Cell, ColumnType } from '../../domain/warehouse/columns.ts'
import type { RowEncoder } from './encoder.ts'
import type { ColumnInfo } from '../../ports/warehouse.ts'

const GROUP = 10_000
/** No currency has more decimals, and no amount more digits (`domain/fields/money.ts`). */
const SCALE = 4
const DAY_MS = 86_400_000

const ELEMENTS: { readonly [type in ColumnType]: Omit<SchemaElement, 'name'> } = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  // Not annotated as JSON: it is text already, and every reader takes text.
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT64' },
  decimal: { type: 'DOUBLE' },
  money: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: 9,
    converted_type: 'DECIMAL',
    precision: 19,
    scale: SCALE,
  },
  boolean: { type: 'BOOLEAN' },
  date: { type: 'INT32', converted_type: 'DATE' },
  timestamp: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
}

export function parquet(columns: readonly ColumnInfo[]): RowEncoder {
  const bytes = new ByteWriter()
  const schema: SchemaElement[] = [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, type }): SchemaElement => ({
      name,
      repetition_type: 'OPTIONAL',
      ...ELEMENTS[type],
    })),
  ]
  const writer = new ParquetWriter({ writer: bytes, schema, createdBy: 'Daybook' })
  const convert = columns.map(({ type }) => CONVERT[type])
  let group: unknown[][] = columns.map(() => [])
  const write = () => {
    const columnData = columns.map(({ name }, i) => ({ name, data: group[i]!, offsetIndex: false }))
    // Without a `flush` it works at once, and answers nothing.
    void writer.write({ columnData, rowGroupSize: GROUP })
    group = columns.map(() => [])
  }
  const taken = (): Uint8Array => {
    const copy = bytes.getBytes().slice()
    bytes.index = 0
    return copy
  }
  return {
    add(row) {
      for (let i = 0; i < convert.length; i++) group[i]!.push(row[i] === null ? null : convert[i]!(row[i]!))
      if (group[0]!.length < GROUP) return undefined
      write()
      return taken()
    },
    end() {
      if (group[0]!.length > 0) write()
      void writer.finish()
      return taken()
    },
  }
}

const same = (value: Cell): unknown => value

const CONVERT: { readonly [type in ColumnType]: (value: Cell) => unknown } = {
  text: same,
  json: same,
  decimal: same,
  integer: (value) => BigInt(value as number),
  money: (value) => unscaled(value as number),
  boolean: (value) => value === 1 || value === true,
  date: (value) => Math.floor(Date.parse(value as string) / DAY_MS),
  timestamp: (value) => BigInt(Date.parse(value as string)),
}

/** The amount in units of its fourth decimal, from its shortest text: no product of doubles comes between. */
function unscaled(amount: number): bigint {
  const text = Math.abs(amount) < 1e-4 ? '0' : String(amount)
  const [whole = '', decimals = ''] = text.split('.')
  return BigInt(whole + decimals.padEnd(SCALE, '0').slice(0, SCALE))
}
