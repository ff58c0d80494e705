/** Values of an answer as JSON, by their PostgreSQL types. */
import type { FieldDef } from 'pg'

const TYPES = {
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  float4: 700,
  float8: 701,
  timestamptz: 1184,
  numeric: 1700,
}

export function rowText(row: readonly (string | null)[], fields: readonly FieldDef[]): string {
  return `[${row.map((text, i) => valueText(text, fields[i]!.dataTypeID)).join(',')}]`
}

function valueText(text: string | null, type: number): string {
  if (text === null) return 'null'
  switch (type) {
    case TYPES.bool:
      return text === 't' ? 'true' : 'false'
    case TYPES.int2:
    case TYPES.int4:
    case TYPES.int8:
      // Past what a number keeps exactly: as text.
      return Number.isSafeInteger(Number(text)) ? text : `"${text}"`
    case TYPES.float4:
    case TYPES.float8:
    case TYPES.numeric:
      return numberText(Number(text))
    case TYPES.timestamptz:
      return JSON.stringify(text.replace(/^(\d{4}-\d\d-\d\d) (.*)\+00$/, '$1T$2Z'))
    default:
      return JSON.stringify(text)
  }
}

/** 15 digits, as many as a double keeps exactly: as questions on SQLite are answered. */
function numberText(value: number): string {
  const rounded = Number(value.toPrecision(15))
  return Number.isFinite(rounded) ? String(rounded) : 'null'
}
