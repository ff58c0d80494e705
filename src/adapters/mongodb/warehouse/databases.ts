/**
 * Where the warehouses are on MongoDB: a database for each company, with the tables as collections; and beside the read
 * models what all companies share: who writes, how far it has come, and the catalogue.
 */
import { createHash } from 'node:crypto'
import { Decimal128, type Collection, type Db } from 'mongodb'
import type { Definitions } from '../../../domain/definition.ts'
import type { Company, Position } from '../../../domain/events/event.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import type { Cell, ColumnType } from '../../../domain/warehouse/columns.ts'
import type { LeaseDocument, PositionsDocument, StatesDocument } from '../bookkeeping.ts'
import { connect, type Connection } from '../connection.ts'

/** A row, by its columns. */
export interface RowDocument {
  readonly _id: string
  readonly [column: string]: unknown
  /** The position of the last event that changed this document: its own record's, or one that renamed what it shows. */
  readonly _Stamp: Position
}

export interface CatalogueDocument {
  readonly _id: string
  readonly catalogue: string
  /** What is stored does not follow from the events by this catalogue until it has been built anew. */
  readonly outdated?: boolean
  /** How often everything was built anew: a copy of an earlier building is not gone on with. */
  readonly built?: number
}

export interface WarehouseDatabases {
  readonly connection: Connection
  readonly leases: Collection<LeaseDocument>
  readonly positions: Collection<PositionsDocument>
  readonly states: Collection<StatesDocument>
  readonly catalogues: Collection<CatalogueDocument>
  of(company: Company): Db
  /** Whether the server keeps exact decimals; FerretDB ends a connection that brings one. Asked once. */
  hasDecimals(): Promise<boolean>
}

/** Names the documents of all companies' warehouses. */
export const ALL = 'warehouse'

export interface DatabasesOptions {
  readonly url: string
  readonly definitions: Definitions
}

export function warehouseDatabases(options: DatabasesOptions): WarehouseDatabases {
  const connection = connect({ ...options, generation: ALL })
  const { database } = connection
  let decimals: Promise<boolean> | undefined
  return {
    connection,
    leases: database.collection('warehouse_leases'),
    positions: database.collection('warehouse_positions'),
    states: database.collection('warehouse_states'),
    catalogues: database.collection('warehouse_catalogue'),
    of: (company) => database.client.db(databaseName(database.databaseName, company)),
    hasDecimals: () =>
      (decimals ??= database
        .admin()
        .buildInfo()
        .then(
          (info) => !('ferretdbVersion' in info),
          (error: unknown) => {
            decimals = undefined
            throw error
          },
        )),
  }
}

/** MongoDB takes names of 63 bytes. */
const LONGEST = 63

export function databaseName(base: string, company: Company): string {
  const name = `${base}_wh_${company.replace(/^company-/, '')}`
  if (Buffer.byteLength(name) <= LONGEST) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 32)
  return `daybook_wh_${hash}`
}

/** A cell as it is kept: dates and timestamps as dates, amounts as exact decimals where the server has them. */
export function stored(type: ColumnType, cell: Cell, decimals: boolean): unknown {
  if (cell === null) return null
  if (type === 'date' || type === 'timestamp') return new Date(cell as string)
  if (type === 'money' && decimals) return Decimal128.fromString(String(cell))
  return cell
}

/** The cell that was stored. */
export function cellOf(type: ColumnType, value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (value instanceof Date)
    return type === 'date' ? value.toISOString().slice(0, 10) : `${value.toISOString().slice(0, 19)}Z`
  if (value instanceof Decimal128) return Number(value.toString())
  return value as Cell
}

export interface KnownCatalogue {
  readonly catalogue: Catalogue | undefined
  readonly outdated: boolean
  readonly built: number
}

export async function readCatalogue({ catalogues }: WarehouseDatabases): Promise<KnownCatalogue> {
  const found = await catalogues.findOne({ _id: ALL })
  const { outdated = false, built = 0 } = found ?? {}
  return { catalogue: found ? (JSON.parse(found.catalogue) as Catalogue) : undefined, outdated, built }
}
