/** The objects and companies of which columns are in memory: when these are read, how long they stay, and what has changed. */
import { changedRows, type ChangedRows } from './changed-rows.ts'
import { bytesOf, type Column } from './column.ts'
import { rowFinder, type ColumnsWanted, type Rows } from './read-columns.ts'

export interface ColumnReader {
  read(wanted: ColumnsWanted): Promise<Rows>
  close(): void
}

export interface Scope {
  /** The columns that queries have asked for, and those of them that cannot be kept. */
  readonly asked: Set<string>
  readonly unfit: Set<string>
  /** Records that have changed since the columns were read and have not been looked up. */
  unread: Set<number>
  kept?: Kept
  /** While the columns are read: the records that have changed since that began. */
  meanwhile: Set<number> | undefined
  /** When it may be read again, by `performance.now()`. */
  next: number
}

export interface Kept {
  readonly numbers: Float64Array
  readonly columns: ReadonlyMap<string, Column>
  readonly changed: ChangedRows
  readonly bytes: number
}

export interface Scopes {
  /** The scope, which is now the one that was asked for last. */
  asked(name: string): Scope
  /** Reads its columns in time, unless that is under way or was just done. */
  read(name: string, wanted: Pick<ColumnsWanted, 'definition' | 'company'>): void
  changed(name: string, rows: readonly number[]): void
  clear(): void
  /** Resolves when all that was asked for has been read. */
  settled(): Promise<void>
  readonly bytes: number
}

/** Columns of which more records are unknown are given up. */
const MOST_UNREAD = 100_000
const AFTER_FAILURE_MS = 60_000
/** Reading takes at most this part of the time. */
const READING = 0.05

export function columnScopes(reader: () => ColumnReader, mostBytes: number): Scopes {
  const scopes = new Map<string, Scope>()
  const running = new Set<Promise<void>>()

  const bytes = () => [...scopes.values()].reduce((sum, { kept }) => sum + (kept?.bytes ?? 0), 0)

  /** The least recently asked go until the others fit; one alone that does not fit goes, too. */
  const giveUp = (latest: string) => {
    for (const [name, scope] of scopes) {
      if (bytes() <= mostBytes) return
      if (name !== latest && scope.kept) scopes.delete(name)
    }
    if (bytes() <= mostBytes) return
    const scope = scopes.get(latest)!
    delete scope.kept
    scope.asked.clear()
    scope.next = Infinity
  }

  const took = (name: string, scope: Scope, rows: Rows, columns: number, ms: number) => {
    const meanwhile = scope.meanwhile!
    scope.meanwhile = undefined
    for (const column of rows.unfit) scope.unfit.add(column)
    // What was asked for meanwhile has not been read.
    const complete = columns === scope.asked.size
    scope.next = complete ? performance.now() + ms / READING : 0
    if (scopes.get(name) !== scope) return
    scope.unread = meanwhile
    scope.kept = keep(rows)
    giveUp(name)
  }

  return {
    asked(name) {
      const scope = scopes.get(name) ?? newScope()
      scopes.delete(name)
      scopes.set(name, scope)
      return scope
    },
    read(name, { definition, company }) {
      const scope = scopes.get(name)!
      if (scope.meanwhile || performance.now() < scope.next) return
      scope.meanwhile = new Set()
      const began = performance.now()
      const { size } = scope.asked
      const columns = [...scope.asked].filter((column) => !scope.unfit.has(column))
      const ended = reader()
        .read({ definition, company, columns })
        .then(
          (rows) => took(name, scope, rows, size, performance.now() - began),
          () => {
            scope.meanwhile = undefined
            scope.next = performance.now() + AFTER_FAILURE_MS
          },
        )
      const done = ended.finally(() => running.delete(done))
      running.add(done)
    },
    changed(name, rows) {
      const scope = scopes.get(name)
      if (!scope) return
      for (const n of rows) {
        scope.unread.add(n)
        scope.meanwhile?.add(n)
      }
      if (scope.unread.size > MOST_UNREAD) scopes.delete(name)
    },
    clear: () => scopes.clear(),
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
    get bytes() {
      return bytes()
    },
  }
}

function newScope(): Scope {
  return { asked: new Set(), unfit: new Set(), unread: new Set(), meanwhile: undefined, next: 0 }
}

function keep({ numbers, columns }: Rows): Kept {
  return {
    numbers,
    columns: new Map(columns.map((column) => [column.name, column])),
    changed: changedRows(numbers.length, rowFinder(numbers), columns),
    bytes: columns.reduce((sum, column) => sum + bytesOf(column), numbers.byteLength * 1.125),
  }
}
