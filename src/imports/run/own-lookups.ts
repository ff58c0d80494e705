/**
 * Lookups of rows to other rows of their file: an employee and the manager further down. Rows whose record is not there yet are
 * run again after the others, for as long as that brings more of them; a circle of rows stays refused.
 */
import { fieldOf, type ObjectDefinition } from '../../domain/definition.ts'
import { hash } from 'node:crypto'
import type { Mapping } from '../mapping/mapping.ts'
import { rowBodies } from '../mapping/row-body.ts'
import type { StagedRow } from '../staging/staged-rows.ts'
import type { RowResult } from './outcomes.ts'

export interface OwnLookups {
  /** Whether rows can look up rows at all. */
  readonly areThere: boolean
  /** Whether the row was refused for a lookup that another row may still bring. */
  waits(result: RowResult): boolean
}

export interface RowsOf {
  readonly definition: ObjectDefinition
  readonly mapping: Mapping
  readonly columns: readonly string[]
}

interface OwnLookup {
  readonly field: string
  /** The field of the other row that it names. */
  readonly by: string
}

function ownLookupsIn({ definition, mapping: { Fields } }: Omit<RowsOf, 'columns'>): readonly OwnLookup[] {
  return Object.entries(Fields).flatMap(([name, { LookupBy: by = definition.display }]) =>
    fieldOf(definition, name)?.target === definition.object && Fields[by] ? [{ field: name, by }] : [],
  )
}

export function ownLookups(of: Omit<RowsOf, 'columns'>): OwnLookups {
  const fields = new Set(ownLookupsIn(of).map(({ field }) => field))
  return {
    areThere: fields.size > 0,
    waits: ({ outcome, fault }) =>
      outcome === 'Failed' && fault !== undefined && fault.faults.some(({ Field }) => fields.has(Field)),
  }
}

/** What rows would be found by, of those that a check has found good. By hashes of 48 bits, so that millions fit. */
export interface GoodRows {
  has(by: string, text: string): boolean
  add(rows: readonly StagedRow[], results: readonly RowResult[]): void
}

export function goodRows(of: RowsOf): GoodRows {
  const found = new Set<number>()
  const fields = new Set(ownLookupsIn(of).map(({ by }) => by))
  const nameOf = (by: string, text: string) =>
    hash('sha1', JSON.stringify([by, text]), 'buffer').readUIntBE(0, 6)
  const bodyOf = rowBodies(of.definition, of.mapping, of.columns)
  return {
    has: (by, text) => found.has(nameOf(by, text)),
    add(rows, results) {
      if (fields.size === 0) return
      for (const [i, { outcome }] of results.entries()) {
        if (outcome === 'Failed') continue
        const { body } = bodyOf(rows[i]!.cells)
        for (const by of fields) {
          const value = body[by]
          if (typeof value === 'string' || typeof value === 'number') found.add(nameOf(by, `${value}`))
        }
      }
    },
  }
}
