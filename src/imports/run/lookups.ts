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
  /** The object that is imported: its rows may look up rows before them. */
  readonly object: string
  /** Waits until what is stored by now can be read, or for long enough. */
  readonly caughtUp: () => Promise<void>
  /** In a check: whether a row would have been written by now that is found so. */
  readonly wouldBeThere?: ((by: string, text: string) => boolean) | undefined
}

const REMEMBERED = 20_000
const ASKED_AT_ONCE = 100
const SHOWN = 3

/** Texts that are to be looked up in a field. */
interface Missing {
  readonly target: ObjectDefinition
  readonly on: FieldDefinition
  readonly texts: Set<string>
}

const nameOfText = (target: ObjectDefinition, on: FieldDefinition, text: string) =>
  JSON.stringify([target.object, on.name, text])

/** Of one import: what was found is remembered, what was not is looked for again. */
export function importLookups({
  definitions,
  readModels,
  object,
  caughtUp,
  wouldBeThere,
}: LookupsOptions): Lookups {
  const known = recentlyUsed<Found>(REMEMBERED)
  let hasWaited = false
  const byOf = ({ field, by, text }: Wanted) => {
    const target = targetOf(definitions, field)
    return isKeyOf(target.object, text) ? 'Id' : (by ?? target.display)
  }
  const nameOf = (wanted: Wanted) => JSON.stringify([wanted.field.target, byOf(wanted), wanted.text])

  const askAll = async (caller: Caller, missing: Iterable<Missing>) => {
    for (const { target, on, texts } of missing) {
      const all = [...texts].filter((text) => !known.get(nameOfText(target, on, text)))
      for (let at = 0; at < all.length; at += ASKED_AT_ONCE)
        for (const [text, keys] of await ask(
          readModels,
          caller,
          target,
          on,
          all.slice(at, at + ASKED_AT_ONCE),
        ))
          known.set(nameOfText(target, on, text), keys)
    }
  }

  return {
    async find(caller, wanted) {
      const missing = new Map<string, Missing>()
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
      await askAll(caller, missing.values())
      // An import before this one, or an earlier chunk of it, may have written what is looked up a moment ago.
      const late = [...missing.values()].filter(
        ({ target, on, texts }) =>
          (!hasWaited || (target.object === object && !caller.dryRun)) &&
          [...texts].some((text) => !known.get(nameOfText(target, on, text))),
      )
      if (late.length === 0) return
      hasWaited = true
      await caughtUp()
      await askAll(caller, late)
    },
    resolve(wanted) {
      const { field, onMissing } = wanted
      const keys = known.get(nameOf(wanted)) ?? []
      const by = byOf(wanted)
      if (keys.length === 1) return keys[0]!
      if (keys.length === 0 && onMissing === 'empty') return null
      if (keys.length === 0 && field.target === object && wouldBeThere?.(by, wanted.text)) return null
      const Message =
        keys.length === 0
          ? `there is no ${field.target} with this ${by}`
          : `several ${field.target} records have this ${by}: ${keys.slice(0, SHOWN).join(', ')}`
      return { Field: field.name, Message }
    },
  }
}

/** Keys by text; what is not found is left out. */
async function ask(
  readModels: LookupsOptions['readModels'],
  caller: Caller,
  target: ObjectDefinition,
  on: FieldDefinition,
  texts: readonly string[],
): Promise<ReadonlyMap<string, Found>> {
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
    if (texts.includes(value)) found.set(value, [...(found.get(value) ?? []), key])
  }
  return found
}
