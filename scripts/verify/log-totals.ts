/** What the log says that each table of each company comes to. Folds the events by itself, by the words of the domain. */
import { openEventReader } from '../../src/adapters/sqlite/event-log.ts'
import type { Definitions } from '../../src/domain/definition.ts'
import type { Company, Position } from '../../src/domain/event.ts'
import type { Fields } from '../../src/domain/json.ts'
import { absent, evolve, type RecordState } from '../../src/domain/record.ts'
import { historyName, tableName } from '../../src/domain/warehouse/columns.ts'
import { subjectOf } from '../../src/projections/projection.ts'
import { add, addedFields, noTotals, type Totals } from './totals.ts'

export interface LogTotals {
  readonly events: number
  readonly head: Position
  /** By company and table. */
  readonly totals: ReadonlyMap<Company, ReadonlyMap<string, Totals>>
}

const BATCH = 1_000

export function logTotals(eventFile: string, definitions: Definitions): LogTotals {
  const log = openEventReader(eventFile)
  const states = new Map<string, RecordState>()
  const totals = new Map<Company, Map<string, Totals>>()
  const of = (company: Company, table: string): Totals => {
    const tables = totals.get(company) ?? new Map<string, Totals>()
    totals.set(company, tables)
    const found = tables.get(table) ?? noTotals()
    tables.set(table, found)
    return found
  }
  let events = 0
  let head: Position = 0
  try {
    for (let batch = log.readAll(0, BATCH); batch.length > 0; batch = log.readAll(head, BATCH))
      for (const event of batch) {
        events++
        head = event.position
        const definition = subjectOf(definitions, event)
        if (!definition || definition.internal) continue
        const wanted = new Set(addedFields(definition).map(({ name }) => name))
        // Only what is added up is remembered: a log may have millions of records.
        const data: Fields = Object.fromEntries(
          Object.entries(event.data).filter(([name]) => wanted.has(name)),
        )
        const before = states.get(event.stream) ?? absent
        const after = evolve(before, { ...event, data })
        states.set(event.stream, after)
        const { company } = event.metadata
        const current = of(company, tableName(definition))
        if (before.status === 'absent') current.rows++
        current.deleted += Number(after.status === 'deleted') - Number(before.status === 'deleted')
        add(current, definition, before.fields, -1)
        add(current, definition, after.fields, 1)
        const history = of(company, historyName(tableName(definition)))
        history.rows++
        if (after.status === 'deleted') history.deleted++
      }
  } finally {
    log.close()
  }
  return { events, head, totals }
}
