/** Answers what a mapping asks of the records: the Key of the one that has a value. */
import { fieldOf } from '../../domain/definition.ts'
import { Invalid } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Filter } from '../../domain/filter/ast.ts'
import { allOf } from '../../domain/filter/combine.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import { shows, sightOf } from '../../domain/grant.ts'
import type { Fields, Json } from '../../domain/json.ts'
import type { Access } from '../../rights/access.ts'
import { readableRows } from '../../rights/reach.ts'
import { isSought, type Sought } from '../mapping/evaluate.ts'
import type { Change } from '../mapping/plan.ts'
import { Awaited, shown, Unmappable } from '../mapping/unmappable.ts'
import type { IntegrationWork } from '../work.ts'

type Asking = Pick<IntegrationWork, 'definitions' | 'readModels' | 'states'>

/** Answers of lookups of one message, by what was asked. */
export type Found = Map<string, Promise<string | undefined>>

/** What a change sets, and what it would have set. */
export interface FieldsFound {
  readonly fields: Fields
  /** Lookups that found nothing and are left out: why, by field. */
  readonly missing: ReadonlyMap<string, string>
}

/** The fields that a change sets. @throws Unmappable, Awaited where the file says so */
export async function fieldsOf(
  work: Asking,
  company: Company,
  access: Access,
  { set }: Change,
  known: Found = new Map(),
): Promise<FieldsFound> {
  const missing = new Map<string, string>()
  const fields: Record<string, Fields[string]> = {}
  for (const [name, made] of Object.entries(set)) {
    if (!isSought(made)) fields[name] = made
    else {
      const asked = JSON.stringify(made.sought)
      const finding = known.get(asked) ?? keySought(work, company, access, made)
      known.set(asked, finding)
      const found = await finding
      if (found !== undefined) {
        const taken = made.take === undefined ? found : await fieldSought(work, company, access, made, found)
        if (taken !== undefined) fields[name] = taken
      } else if (made.missing === 'reject') throw new Unmappable(wordsFor(made))
      else if (made.missing === 'wait') throw new Awaited(wordsFor(made), subjectOf(made))
      // What another field says already of the same record.
      else if (made.take === undefined || ![...missing.values()].includes(wordsFor(made)))
        missing.set(name, wordsFor(made))
    }
  }
  return { fields, missing }
}

const subjectOf = ({ sought: { object, value } }: Sought) => `${object} ${value}`

const wordsFor = ({ sought: { object, field, value } }: Sought) =>
  `there is not one ${object} whose ${field} is ${shown(value)}`

/** Undefined: none, several, or none that may be read. */
async function keySought(
  { definitions, readModels }: Asking,
  company: Company,
  access: Access,
  { sought: { object, field, value } }: Sought,
): Promise<string | undefined> {
  const definition = definitions.get(object)
  if (!definition || !fieldOf(definition, field) || !access.grant(object, 'read')) return undefined
  const literal = typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
  const rows = readableRows({ reads: (of) => access.grant(of, 'read') }, object, field)
  let isOne: Filter
  try {
    isOne = parseFilter(`${field} eq ${literal}`, definition, definitions)
  } catch (error) {
    // A value that the field cannot have.
    if (!(error instanceof Invalid)) throw error
    return undefined
  }
  const filter = allOf([isOne, rows])!
  const { records } = await readModels.list(company, {
    object,
    filter,
    sort: [],
    offset: 0,
    limit: 2,
    expand: [],
  })
  return records.length === 1 ? records[0]!.key : undefined
}

/** Undefined where the record has no value in the field, or it may not be read. */
async function fieldSought(
  { states }: Asking,
  company: Company,
  access: Access,
  { sought: { object }, take }: Sought,
  key: string,
): Promise<Json | undefined> {
  if (!shows(sightOf(access.grant(object, 'read')), take!)) return undefined
  return (await states.load(company, key)).fields[take!] ?? undefined
}
