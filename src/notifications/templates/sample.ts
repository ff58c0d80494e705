/** Tags that a trigger's templates may hold, with values to look at; and templates filled in with values that somebody made up. */
import { STANDARD_FIELDS, type Definitions, type FieldDefinition } from '../../domain/definition.ts'
import { isObject, type Fields, type Json } from '../../domain/json.ts'
import type { Trigger } from '../triggers.ts'
import { plainShown, shownAs, type Filled } from './values.ts'

export interface CatalogueTag {
  readonly path: string
  /** As it could be in a mail, in English. */
  readonly sample: string
}

const SAMPLES: Readonly<Partial<Record<FieldDefinition['type'], Json>>> = {
  integer: 12,
  decimal: 12.5,
  boolean: true,
  date: '2030-01-31',
  timestamp: '2030-01-31T08:00:00Z',
  money: { Amount: 1_200.5, Currency: 'EUR' },
  email: 'ann@example.com',
  url: 'https://example.com/',
}
const SHOWN = { locale: 'en', zone: 'UTC' }

/** Of any object only those that all have. */
export function tagsFor(
  { object }: Pick<Trigger, 'object'>,
  definitions: Definitions,
): readonly CatalogueTag[] {
  const on = definitions.get(object)
  if (!on) return STANDARD_FIELDS.map((field) => tagOf('', field))
  return [...STANDARD_FIELDS, ...on.fields].flatMap((field) => {
    const target = field.type === 'lookup' ? definitions.get(field.target ?? '') : undefined
    const within = target?.fields.filter(({ type }) => type !== 'json') ?? []
    return [tagOf('', field), ...within.map((one) => tagOf(`${field.name}.`, one))]
  })
}

function tagOf(before: string, { name, type, choices }: FieldDefinition): CatalogueTag {
  const value = choices?.[0] ?? SAMPLES[type] ?? name
  return {
    path: `${before}${name}`,
    sample: shownAs(typeof value === 'string' && type === 'lookup' ? 'text' : type, value, SHOWN),
  }
}

/** Values of `{Field: …, Lookup: {Field: …}}`; texts as they are. */
export function valuesOfSample(paths: Iterable<string>, sample: Fields, locale: string): Filled {
  const values = new Map<string, string>()
  for (const path of paths) {
    const value = path
      .split('.')
      .reduce<Json>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name]! : null), sample)
    values.set(path, value === null || typeof value === 'object' ? '' : plainShown(value, locale))
  }
  return { values, missing: [...values].filter(([, value]) => value === '').map(([path]) => path) }
}
