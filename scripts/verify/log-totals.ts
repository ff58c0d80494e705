/** What the log says that each table of each company comes to. Folds the events by itself, by the words of the domain. */
import type { Definitions } from '../../src/domain/definition.ts'
import type { Company, RecordedEvent } from '../../src/domain/events/event.ts'
import { unpacked } from '../../src/domain/events/packs.ts'
import type { Fields } from '../../src/domain/json.ts'
import { absent, evolve, type RecordState } from '../../src/domain/records/record.ts'
import { tableFor, type Catalogue } from '../../src/domain/warehouse/catalogue.ts'
import { historyName, type WarehouseTable } from '../../src/domain/warehouse/columns.ts'
import { subjectOf } from '../../src/projections/projection.ts'
import { add, addedFields, noTotals, type Totals } from './totals.ts'

export interface LogTotals {
  /** How many events were taken. */
  events(): number
  companies(): Iterable<Company>
  /** What the table comes to by the events taken so far. */
  of(company: Company, table: string): Totals
  /** The next events, in order. */
  take(events: readonly RecordedEvent[]): void
}

export function logTotals(definitions: Definitions, catalogue: Catalogue): LogTotals {
  const states = new Map<string, RecordState>()
  const totals = new Map<Company, Map<string, Totals>>()
  const of = (company: Company, table: string): Totals => {
    const tables = totals.get(company) ?? new Map<string, Totals>()
    totals.set(company, tables)
    const found = tables.get(table) ?? noTotals()
    tables.set(table, found)
    return found
  }
  const added = new Map<WarehouseTable, ReadonlySet<string>>()
  const fieldsOf = (table: WarehouseTable): ReadonlySet<string> => {
    const known = added.get(table) ?? addedFields(table)
    added.set(table, known)
    return known
  }
  const take = (event: RecordedEvent) => {
    const definition = subjectOf(definitions, event)
    if (!definition || definition.internal) return
    const table = tableFor(catalogue, definition)
    if (!table) throw new Error(`the warehouse has no table of ${definition.object}`)
    const wanted = fieldsOf(table)
    // Only what is added up is remembered: a log may have millions of records.
    const data: Fields = Object.fromEntries(Object.entries(event.data).filter(([name]) => wanted.has(name)))
    const before = states.get(event.stream) ?? absent
    const after = evolve(before, { ...event, data })
    states.set(event.stream, after)
    const { company } = event.metadata
    const current = of(company, table.name)
    if (before.status === 'absent') current.rows++
    current.deleted += Number(after.status === 'deleted') - Number(before.status === 'deleted')
    add(current, table, before.fields, -1)
    add(current, table, after.fields, 1)
    const history = of(company, historyName(table.name))
    history.rows++
    if (after.status === 'deleted') history.deleted++
  }
  let taken = 0
  return {
    events: () => taken,
    companies: () => totals.keys(),
    of,
    take(events) {
      for (const event of events.flatMap(unpacked)) take(event)
      taken += events.length
    },
  }
}
