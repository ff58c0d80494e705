/** Profiles: read from bodies, found by Key, and proposed for columns that they fit. Those of bank statements say what a bank's columns are. */
import { fieldOf, type Definitions } from '../../domain/definition.ts'
import { invalid, NotFound } from '../../domain/errors.ts'
import type { Company } from '../../domain/events/event.ts'
import type { Filter } from '../../domain/filter/ast.ts'
import { allOf } from '../../domain/filter/combine.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { isKeyOf } from '../../domain/records/key.ts'
import { readBody } from '../../shapes/body.ts'
import type { BankChoices } from '../bank/bank-file.ts'
import { bankProfiles, readBankProfile, type BankProfile } from '../bank/profiles/profile.ts'
import { BANK_STATEMENT } from '../bank/run/statement-plan.ts'
import { newProfile } from '../bodies.ts'
import { columnQuestions, readMapping } from '../mapping/check-mapping.ts'
import type { Mapping } from '../mapping/mapping.ts'
import { IMPORT, importDefinition } from '../objects.ts'
import type { ImportWork } from '../work.ts'
import { PROFILE, profileDefinition } from './objects.ts'

export interface Profile {
  readonly key: string
  readonly name: string
  readonly object: string
  readonly mapping: Mapping
}

/** Profiles of an object, and imports of it, that are looked at for a proposal. */
const MOST = 200

/** The fields of a profile, from a body. @throws Invalid naming what is wrong; `definitions`: of the objects that are served */
export function readProfile(definitions: Definitions, body: Json): Fields {
  const { Object: object, Mapping: sent, ...rest } = readBody(newProfile, body, 'The profile is not valid.')
  const mapping = sent as Json
  const definition = definitions.get(object)
  if (!definition) throw invalid('Object', 'must be the name of an object, such as contract')
  const isBank = object === BANK_STATEMENT
  return {
    ...rest,
    Object: object,
    Mapping: isBank ? readBankProfile(mapping) : readMapping(definition, definitions, mapping),
  }
}

const profileOf = (key: string, fields: Fields): Profile => ({
  key,
  name: fields['Name'] as string,
  object: fields['Object'] as string,
  mapping: fields['Mapping'] as unknown as Mapping,
})

/** @throws NotFound where there is none for the object */
export async function findProfile(
  { load }: Pick<ImportWork, 'load'>,
  company: Company,
  key: string,
  object: string,
): Promise<Profile> {
  const state = isKeyOf(PROFILE, key) ? await load(company, key) : undefined
  if (state?.status === 'live' && state.fields['Object'] === object) return profileOf(key, state.fields)
  throw new NotFound(`there is no import profile ${key.slice(0, 100)} for ${object}`)
}

/** @throws NotFound where a profile of the company's own is chosen that is not there */
export async function checkBankProfile(
  work: Pick<ImportWork, 'load'>,
  company: Company,
  { Profile: chosen }: BankChoices,
): Promise<void> {
  if (chosen?.startsWith(`${PROFILE}-`)) await findProfile(work, company, chosen, BANK_STATEMENT)
}

/** The company's own profiles of banks. */
export async function ownBankProfiles(
  reading: Pick<ImportWork, 'readModels'>,
  company: Company,
): Promise<readonly BankProfile[]> {
  const found = await listOf(reading, company, PROFILE, ofObject(profileDefinition, BANK_STATEMENT))
  return found.map(({ key, fields }) => ({ ...(fields['Mapping'] as unknown as BankProfile), id: key }))
}

/** A mapping that fits columns: of a profile, or of an import that had the same columns. */
export interface Suggestion {
  readonly Profile: string | null
  readonly Import: string | null
  readonly Name: string | null
  readonly Mapping: Mapping | Omit<BankProfile, 'id'>
}

export interface Suggesting {
  readonly object: string
  readonly columns: readonly string[]
  /** Of imports: those that the caller sees. */
  readonly seen: Filter
}

/** Profiles first, then what was done last with the same columns. Nothing of it is used unasked. */
export async function suggestMappings(
  reading: Pick<ImportWork, 'definitions' | 'readModels'>,
  company: Company,
  { object, columns, seen }: Suggesting,
): Promise<readonly Suggestion[]> {
  if (object === BANK_STATEMENT) return fittingBanks(await ownBankProfiles(reading, company), columns)
  const definition = reading.definitions.get(object)
  const fits = (mapping: Mapping) => definition && columnQuestions(definition, mapping, columns).length === 0
  const profiles = (await listOf(reading, company, PROFILE, ofObject(profileDefinition, object)))
    .map(({ key, fields }) => profileOf(key, fields))
    .filter(({ mapping }) => fits(mapping))
    .map(({ key, name, mapping }) => ({ Profile: key, Import: null, Name: name, Mapping: mapping }))
  const header = JSON.stringify(columns)
  const known = new Set(profiles.map(({ Mapping: mapping }) => JSON.stringify(mapping.Fields)))
  const imports = (
    await listOf(reading, company, IMPORT, allOf([ofObject(importDefinition, object), seen])!)
  ).flatMap(({ key, fields }): Suggestion[] => {
    const read = fields['Read'] as { readonly Columns: readonly string[] } | null
    const mapping = fields['Mapping'] as unknown as Mapping | null
    if (fields['CommittedAt'] === null || !mapping || JSON.stringify(read?.Columns) !== header) return []
    const mapped = JSON.stringify(mapping.Fields)
    if (known.has(mapped)) return []
    known.add(mapped)
    return [{ Profile: null, Import: key, Name: null, Mapping: mapping }]
  })
  return [...profiles, ...imports.slice(0, 5)]
}

/** Those that are shipped have no Key: `Profile` is the name that an import takes. */
const fittingBanks = (own: readonly BankProfile[], columns: readonly string[]): readonly Suggestion[] =>
  [...own, ...bankProfiles()]
    .filter(({ Header }) => Header.every((column) => columns.includes(column)))
    .map(({ id, ...Mapping }) => ({ Profile: id, Import: null, Name: Mapping.Bank, Mapping }))

const ofObject = (on: typeof importDefinition, object: string): Filter => ({
  op: 'compare',
  path: { text: 'Object', hops: [], on, field: fieldOf(on, 'Object')!, kind: 'text' },
  by: 'eq',
  value: object,
  negated: false,
})

async function listOf(
  { readModels }: Pick<ImportWork, 'readModels'>,
  company: Company,
  object: string,
  filter: Filter,
): Promise<readonly { readonly key: string; readonly fields: Fields }[]> {
  const asked = { object, filter, sort: [], offset: 0, limit: MOST, expand: [] }
  const { records } = await readModels.list(company, asked)
  return records.map(({ key, json }) => ({ key, fields: JSON.parse(json) as Fields }))
}
