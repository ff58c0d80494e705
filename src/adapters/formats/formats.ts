/** The formats of exports, by name. They know no engine: every adapter of the warehouse uses them. */
import type { ColumnInfo, ExportFormat } from '../../ports/warehouse.ts'
import { csv } from './csv.ts'
import type { RowEncoder } from './encoder.ts'
import { jsonDocument, jsonLines } from './json-rows.ts'
import { parquet } from './parquet.ts'

export const FORMATS: { readonly [format in ExportFormat]: (columns: readonly ColumnInfo[]) => RowEncoder } =
  {
    csv,
    json: jsonDocument,
    jsonl: jsonLines,
    parquet,
  }
