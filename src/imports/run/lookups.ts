/**
 * Lookups of a chunk: texts of a file become Keys, with one question for each field and chunk. Only records that the caller
 * may read are found.
 */
import {
  fieldOf,
  targetOf,
  type Definitions,
  type FieldDefinition,
  type ObjectDefinition,
} from '../../domain/definition.ts'
import type { Fault } from '../../domain/errors.ts'
import type { Filter } from '../../domain/filter/ast.ts'
import { allOf } from '../../domain/filter/combine.ts'
import { rulesOfType } from '../../domain/fields/field-values.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { recentlyUsed } from '../../domain/recently-used.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { readableRows } from '../../rights/reach.ts'
import type { Caller } from '../../commands/command.ts'
import type { Wanted } from '../mapping/row-body.ts'

/** The Keys of records that a text stands for. */
type Found = readonly string[]

export interface Lookups {
  /** Looks up what is wanted and not known yet; to be awaited before `resolve`. */
  find(caller: Caller, wanted: readonly Wanted[]): Promise<void>
  /** The Key, null for none that is wanted, or what is wrong. */
  resolve(wanted: Wanted): string | null | Fault
}

export interface LookupsOptions {
  readonly definitions: Definitions
  readonly readModels: Pick<ReadModels, 'list'>
}

const REMEMBERED = 20_000
const ASKED_AT_ONCE = 100
const SHOWN = 3

/** Of one import: what was found is remembered, what was not is looked for again. */
export function importLookups({ definitions, readModels }: LookupsOptions): Lookups {
  const known = recentlyUsed<Found>(REMEMBERED)
  const byOf = ({ field, by, text }: Wanted) => {
    const target = targetOf(definitions, field)
    return isKeyOf(target.object, text) ? 'Id' : (by ?? target.display)
  }
  const nameOf = (wanted: Wanted) => JSON.stringify([wanted.field.target, byOf(wanted), wanted.text])

  const ask = async (
    caller: Caller,
    target: ObjectDefinition,
    on: FieldDefinition,
    texts: readonly string[],
  ) => {
    const values = texts.map((text) => (on.type === 'integer' ? Number(text) : text))
    const { compares } = rulesOfType(on)
    const path = {
      text: on.name,
      hops: [],
      on: target,
      field: on,
      kind: on.name === 'Id' ? ('exact' as const) : compares,
    }
    const isOne: Filter = { op: 'in', path, values, negated: false }
    const filter = allOf([isOne, readableRows(caller, target.object, on.name)])!
    const query = {
      object: target.object,
      filter,
      sort: [],
      offset: 0,
      limit: texts.length * SHOWN + 1,
      expand: [],
    }
    const { records } = await readModels.list(caller.company, query)
    const found = new Map<string, string[]>()
    for (const { key, json } of records) {
      const value = String((JSON.parse(json) as Record<string, string | number>)[on.name])
      found.set(value, [...(found.get(value) ?? []), key])
    }
    for (const text of texts)
      if (found.has(text)) known.set(JSON.stringify([target.object, on.name, text]), found.get(text)!)
  }

  return {
    async find(caller, wanted) {
      const missing = new Map<string, { target: ObjectDefinition; on: FieldDefinition; texts: Set<string> }>()
      for (const one of wanted) {
        if (known.get(nameOf(one))) continue
        const target = targetOf(definitions, one.field)
        const on = fieldOf(target, byOf(one))
        if (!on) continue
        const group = `${target.object} ${on.name}`
        const texts = missing.get(group) ?? { target, on, texts: new Set() }
        missing.set(group, texts)
        texts.texts.add(one.text)
      }
      for (const { target, on, texts } of missing.values()) {
        const all = [...texts]
        for (let at = 0; at < all.length; at += ASKED_AT_ONCE)
          await ask(caller, target, on, all.slice(at, at + ASKED_AT_ONCE))
      }
    },
    resolve(wanted) {
      const { field, onMissing } = wanted
      const keys = known.get(nameOf(wanted)) ?? []
      const by = byOf(wanted)
      if (keys.length === 1) return keys[0]!
      if (keys.length === 0 && onMissing === 'empty') return null
      const Message =
        keys.length === 0
          ? `there is no ${field.target} with this ${by}`
          : `several ${field.target} records have this ${by}: ${keys.slice(0, SHOWN).join(', ')}`
      return { Field: field.name, Message }
    },
  }
}
