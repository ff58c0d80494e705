/** Filters from values that nobody has to escape. */

/** A filter, or a part of one, as its text. */
export class Filter {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
  toString(): string {
    return this.text
  }
}

export type FilterValue = string | number | boolean | null | Date | Filter | readonly (string | number)[]

/**
 * A filter whose values stand as values whatever is in them:
 * where`MonthlyRent gt ${1000} and contains(Tenant/Name, ${name})`. A list is for `in`: where`Status in ${['Draft', 'Active']}`.
 * Another filter may stand in it, in parentheses.
 * @throws TypeError for a value that a filter cannot hold
 */
export function where(texts: TemplateStringsArray, ...values: readonly FilterValue[]): Filter {
  return new Filter(texts.map((text, at) => text + (at < values.length ? written(values[at]) : '')).join(''))
}

function written(value: FilterValue | undefined): string {
  if (value instanceof Filter) return `(${value.text})`
  if (value instanceof Date) return value.toISOString()
  if (Array.isArray(value)) {
    if (value.length === 0) throw new TypeError('an empty list in a filter: nothing is in it')
    return `(${(value as readonly (string | number)[]).map(written).join(', ')})`
  }
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  if (typeof value === 'boolean' || value === null) return String(value)
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  throw new TypeError(`${String(value)} cannot stand in a filter`)
}
