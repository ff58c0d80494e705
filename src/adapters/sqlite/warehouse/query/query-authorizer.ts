/** What a question may touch, asked by SQLite for everything that a statement would do, before it does anything. */
import { constants, type DatabaseSync } from 'node:sqlite'
import { OPEN_TABLES, QUERY_FUNCTIONS, QUERY_TABLE_FUNCTIONS } from './query-functions.ts'

export interface Authorizer {
  /** Why the statement was refused; undefined when nothing of it was. */
  refusal(): Refused | undefined
}

export interface Refused {
  readonly message: string
  /** The table that may not be read, in lowercase. */
  readonly table?: string
}

/** Lets the connection read these columns of these tables, and nothing else, from now on. */
export function authorize(
  db: DatabaseSync,
  readable: { readonly [table: string]: readonly string[] },
): Authorizer {
  let refused: Refused | undefined
  // SQL ignores the case of names.
  const columnsOf = new Map(
    Object.entries(readable).map(([table, columns]) => [table.toLowerCase(), new Set(columns)]),
  )
  const real = realTables(db)
  const refuse = (message: string, table?: string) => {
    refused ??= { message, ...(table !== undefined && { table }) }
    return constants.SQLITE_DENY
  }
  const mayRead = (table: string, column: string): number => {
    const name = table.toLowerCase()
    if (OPEN_TABLES.has(name) || QUERY_TABLE_FUNCTIONS.has(name)) return constants.SQLITE_OK
    const columns = columnsOf.get(name)
    // `count(*)` of what the statement itself has named (WITH); of its columns SQLite does not ask at all.
    if (!columns && column === '' && !real.has(name)) return constants.SQLITE_OK
    if (!columns) return refuse(`you cannot read a table ${table}`, name)
    // Asked for the table as a whole (`count(*)`), and for the place of a row in it.
    if (column === '' || column === 'ROWID' || columns.has(column)) return constants.SQLITE_OK
    return refuse(`you cannot read a column ${table}.${column}`, name)
  }
  db.setAuthorizer((action, first, second) => {
    switch (action) {
      case constants.SQLITE_SELECT:
      case constants.SQLITE_RECURSIVE:
        return constants.SQLITE_OK
      case constants.SQLITE_READ:
        return mayRead(first ?? '', second ?? '')
      case constants.SQLITE_FUNCTION: {
        const name = (second ?? '').toLowerCase()
        return QUERY_FUNCTIONS.has(name) ? constants.SQLITE_OK : refuse(`the function ${name} cannot be used`)
      }
      default:
        return refuse('only queries are taken: SELECT, WITH, VALUES, EXPLAIN')
    }
  })
  return { refusal: () => refused }
}

/** Everything that a statement could read which it has not made itself, in lowercase. */
function realTables(db: DatabaseSync): ReadonlySet<string> {
  const names = db.prepare(
    "SELECT name FROM sqlite_schema UNION ALL SELECT name FROM pragma_module_list UNION ALL VALUES ('sqlite_schema'), ('sqlite_master'), ('sqlite_temp_schema'), ('sqlite_temp_master')",
  )
  return new Set(names.all().map((row) => (row['name'] as string).toLowerCase()))
}
