/**
 * What analysts ask of the warehouse.
 *
 * One warehouse per company: every call names the company, and no call can reach another one's.
 */
import type { Company, Position } from '../domain/events/event.ts'
import type { ColumnInfo, TableInfo } from '../domain/warehouse/table-infos.ts'

export type { ColumnInfo, TableInfo }

export type ExportFormat = 'json' | 'jsonl' | 'csv' | 'parquet'

export interface ExportOf {
  readonly table: string
  /** Names of the columns, in order; one at least. */
  readonly columns: readonly string[]
  readonly format: ExportFormat
}

/** Bytes as fast as they are taken; leaving the iteration lets go of everything. Throws when it cannot go on. */
export type ByteStream = AsyncIterable<Uint8Array>

export interface SqlQuestion {
  readonly sql: string
  /** How many rows the answer may have at most; absent: 10,000. */
  readonly rows?: number
  /** Tables that may be read, with the columns of them that may. Those not named are refused. */
  readonly readable: { readonly [table: string]: readonly string[] }
}

/** `json`: `{"Columns":[…],"Rows":[[…]]}`. `forbidden`: the question reads a table or column that it may not. */
export type QueryAnswer = { readonly json: string } | { readonly forbidden: string }

export interface WarehouseContents {
  /** Rows of each table. */
  readonly rows: { readonly [table: string]: number }
  /** The company's events up to this ordinal are in the warehouse; 0: none yet. */
  readonly ordinal: number
}

/** Every call, `tables` too, throws Unavailable where there is no warehouse or it cannot be reached. */
export interface Warehouse {
  /** Every table, current and history. */
  readonly tables: readonly TableInfo[]
  /** Waits until everything up to `position` is there; false when that takes longer. Never rejects. */
  reached(company: Company, position: Position, timeoutMs: number): Promise<boolean>
  /** @throws Busy when too much is read already */
  contents(company: Company): Promise<WarehouseContents>
  /** The whole table as of one moment. It takes a thread and memory until all of it is taken: bound how many there are. */
  export(company: Company, of: ExportOf): Promise<ByteStream>
  /** A consistent copy of the whole warehouse: an SQLite file. @throws Busy when too much is read already */
  snapshot(company: Company): Promise<{ readonly bytes: ByteStream; readonly size: number }>
  /**
   * Runs one statement that only reads.
   * @throws Invalid naming `Sql` for a statement that is not a query, uses what it may not, or takes too long or too much
   * @throws Busy when too many questions wait
   */
  query(company: Company, question: SqlQuestion): Promise<QueryAnswer>
  close(): Promise<void>
}
