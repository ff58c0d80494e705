/** Which column goes into which field, as a person chooses it; and what the names of columns suggest. */
import type { FieldMapping, Mapping } from '../../../src/imports/mapping/mapping.ts'
import type { Field, ObjectSeen } from '../api/object-seen.ts'

/** A field, or a part of money: `MonthlyRent.Amount`. */
export type Target = string
export const IGNORED: Target = '#ignored'
const ROW_COLUMNS = ['Daybook-Row', 'Daybook-Error']

const stepsOf = ({ Do }: Pick<FieldMapping, 'Do'> = {}) => (Do ? { Do } : {})

/** What of a mapping is chosen for a column, or for a field as a whole. */
export interface Choices {
  readonly mode: Mapping['Mode']
  readonly keyField: string | undefined
  /** By column; a column that is not in it is undecided. */
  readonly targets: Readonly<Record<string, Target>>
  /** By field. */
  readonly readings: Readonly<Record<string, Pick<FieldMapping, 'Decimal' | 'Format' | 'LookupBy'>>>
  /** By field of money, where no column has the currency. */
  readonly currencies: Readonly<Record<string, string>>
  readonly allowPastDates: boolean
}

export const fieldOfTarget = (target: Target): string => target.split('.')[0] ?? target

/** The fields that an import may fill, with the parts of money; `Id` recognizes records. */
export function targetsOf({ Fields }: ObjectSeen, mode: Mapping['Mode']): readonly Target[] {
  const own = Fields.filter(({ ReadOnly }) => !ReadOnly).flatMap(({ Name, Type }) =>
    Type === 'money' ? [`${Name}.Amount`, `${Name}.Currency`] : [Name],
  )
  return mode === 'create' ? own : ['Id', ...own]
}

/** The columns of a file that a person decides on. */
export const columnsToMap = (columns: readonly string[]) =>
  columns.filter((column) => !ROW_COLUMNS.includes(column))

/** What has been chosen so far, by the mapping that the import has. */
export function choicesOf(mapping: Mapping | null, columns: readonly string[]): Choices {
  const targets: Record<string, Target> = {}
  const currencies: Record<string, string> = {}
  const readings: Record<string, Choices['readings'][string]> = {}
  for (const [name, from] of Object.entries(mapping?.Fields ?? {})) {
    if (from.Column !== undefined) targets[from.Column] = name
    if (from.Amount?.Column !== undefined) targets[from.Amount.Column] = `${name}.Amount`
    if (from.Currency?.Column !== undefined) targets[from.Currency.Column] = `${name}.Currency`
    if (from.Currency?.Constant !== undefined) currencies[name] = String(from.Currency.Constant)
    const { Decimal, Format, LookupBy } = from
    readings[name] = { ...(Decimal && { Decimal }), ...(Format && { Format }), ...(LookupBy && { LookupBy }) }
  }
  for (const column of mapping?.IgnoreColumns ?? []) if (columns.includes(column)) targets[column] = IGNORED
  return {
    mode: mapping?.Mode ?? 'create',
    keyField: mapping?.KeyField,
    targets,
    readings,
    currencies,
    allowPastDates: mapping?.AllowPastDates ?? false,
  }
}

/** The mapping of these choices; what the page does not show of the one before stays. */
export function mappingOf(choices: Choices, before: Mapping | null, columns: readonly string[]): Mapping {
  const { mode, keyField, targets, readings, currencies, allowPastDates } = choices
  const fields: Record<string, FieldMapping> = {}
  for (const column of columns) {
    const target = targets[column]
    if (target === undefined || target === IGNORED) continue
    const name = fieldOfTarget(target)
    const part = target.slice(name.length + 1)
    fields[name] = {
      ...(fields[name] ?? keptOf(before?.Fields[name])),
      ...(part === ''
        ? { Column: column }
        : { [part]: { ...stepsOf(before?.Fields[name]?.[part as 'Amount']), Column: column } }),
      ...readings[name],
    }
  }
  for (const [name, currency] of Object.entries(currencies))
    if (fields[name] && !fields[name].Currency?.Column && currency.trim() !== '')
      fields[name] = { ...fields[name], Currency: { Constant: currency.trim() } }
  // A field that gets one constant for all rows has no column to lose.
  for (const [name, from] of Object.entries(before?.Fields ?? {}))
    if (fields[name] === undefined && from.Constant !== undefined) fields[name] = from
  const ignored = columns.filter((column) => targets[column] === IGNORED)
  const { File, Formats, Notify, UnknownColumns, MissingColumns, DuplicatesInFile, EmptyCell } =
    before ?? USUAL
  return {
    ...(File && { File }),
    ...(Formats && { Formats }),
    ...(Notify && { Notify }),
    UnknownColumns,
    MissingColumns,
    DuplicatesInFile,
    EmptyCell,
    Mode: mode,
    AllowPastDates: allowPastDates,
    Fields: fields,
    ...(mode !== 'create' && keyField && { KeyField: keyField }),
    ...(ignored.length > 0 && { IgnoreColumns: ignored }),
  }
}

const USUAL: Mapping = {
  Mode: 'create',
  Fields: {},
  UnknownColumns: 'error',
  MissingColumns: 'error',
  DuplicatesInFile: 'error',
  AllowPastDates: false,
  EmptyCell: 'keep',
}

/** What this page does not show of how a field is filled. */
const KEPT: readonly string[] = ['Do', 'Required', 'Values', 'Otherwise', 'OnMissing', 'WhenEmpty']
const keptOf = (from: FieldMapping = {}): FieldMapping =>
  Object.fromEntries(Object.entries(from).filter(([name]) => KEPT.includes(name)))

/** How alike a name has to be before it is suggested. */
const LEAST_LIKENESS = 0.5

/** For each column without a target: the field that its name is most like, if any, and that no other column fills. */
export function suggestionsFor(
  columns: readonly string[],
  object: ObjectSeen,
  { targets, mode }: Pick<Choices, 'targets' | 'mode'>,
): Readonly<Record<string, Target>> {
  const taken = new Set(Object.values(targets).map(fieldOfTarget))
  const free = targetsOf(object, mode).filter((target) => !taken.has(fieldOfTarget(target)))
  const pairs = columns
    .filter((column) => targets[column] === undefined)
    .flatMap((column) => free.map((target) => ({ column, target, likeness: likenessOf(column, target) })))
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .sort((one, other) => other.likeness - one.likeness)
  const suggested: Record<string, Target> = {}
  const used = new Set<Target>()
  for (const { column, target } of pairs)
    if (suggested[column] === undefined && !used.has(target)) {
      suggested[column] = target
      used.add(target)
    }
  return suggested
}

/** From 0 to 1: by the pairs of letters that both have (Dice), whatever their case, spaces and signs. */
export function likenessOf(one: string, other: string): number {
  const [first, second] = [plain(one), plain(other)]
  if (first === '' || second === '') return 0
  if (first === second) return 1
  const [pairs, others] = [pairsOf(first), pairsOf(second)]
  const rest = [...others]
  let shared = 0
  for (const pair of pairs) {
    const at = rest.indexOf(pair)
    if (at >= 0) {
      shared++
      rest.splice(at, 1)
    }
  }
  return (2 * shared) / (pairs.length + others.length || 1)
}

const plain = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
const pairsOf = (text: string) => Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2))

/** What records can be recognized by, of what is mapped. */
export function keyFieldsOf(object: ObjectSeen, { targets }: Pick<Choices, 'targets'>): readonly string[] {
  const mapped = new Set(Object.values(targets))
  return ['Id', ...object.Fields.filter(({ Unique }) => Unique).map(({ Name }) => Name)].filter((name) =>
    mapped.has(name),
  )
}

/** What has to be in every record and gets nothing. */
export function missingIn(
  object: ObjectSeen,
  { targets, mode }: Choices,
  before: Mapping | null,
): readonly Field[] {
  if (mode === 'update') return []
  const filled = new Set(Object.values(targets).map(fieldOfTarget))
  return object.Fields.filter(
    ({ Name, Required, ReadOnly, Default }) =>
      Required &&
      !ReadOnly &&
      Default === null &&
      !filled.has(Name) &&
      before?.Fields[Name]?.Constant === undefined,
  )
}
