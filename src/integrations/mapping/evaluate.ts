/** Makes a value from a payload by an expression (`definition/expression-schema.ts`). Pure: lookups come out as questions. */
import { createHash } from 'node:crypto'
import type { Fields, Json } from '../../domain/json.ts'
import type { Expression, Lookup } from '../definition/expression-schema.ts'
import { majorOf, moneyOf } from './money.ts'
import { valueAt } from './path.ts'
import { dateOf, isoOf, unixOf } from './times.ts'
import { shown, Unmappable } from './unmappable.ts'

/** What an expression reads: one item, and the payload that it came in. */
export interface Source {
  readonly item: Json | undefined
  readonly root: Json | undefined
  /** Values of the installation's settings. */
  readonly settings?: Fields | undefined
}

/**
 * A lookup that still has to be answered: the one record of `object` whose `field` is `value`. A class of its own: no payload can look
 * like one.
 */
export class Sought {
  readonly sought: { readonly object: string; readonly field: string; readonly value: string | number }
  /** A field of that record instead of its Key. */
  readonly take: string | undefined
  readonly missing: Lookup['missing']

  constructor(sought: Sought['sought'], { take, missing }: Pick<Lookup, 'take' | 'missing'>) {
    this.sought = sought
    this.take = take
    this.missing = missing
  }
}

export type Made = Json | undefined | Sought

/** Undefined: the payload does not say. @throws Unmappable for a value that is there and cannot be what the file says it is */
export function evaluate(expression: Expression, source: Source): Made {
  if (typeof expression === 'object' && 'lookup' in expression) return soughtOf(expression, source)
  return plainValue(expression, source)
}

export function isSought(made: Made): made is Sought {
  return made instanceof Sought
}

function soughtOf({ lookup, by, from, ...more }: Lookup, source: Source): Made {
  const value = plainValue(from, source)
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Unmappable(`a ${lookup} cannot be looked up by ${shown(value)}`)
  return new Sought({ object: lookup, field: by, value }, more)
}

/** Everything but lookups. The schema allows a lookup inside another expression; the check of files refuses it. */
function plainValue(expression: Expression, source: Source): Json | undefined {
  if (typeof expression === 'string') return valueAt(expression, source.item, source.root)
  if ('value' in expression) return expression.value
  if ('setting' in expression) return source.settings?.[expression.setting]
  if ('default' in expression) return firstOf(expression.default, source)
  if ('choose' in expression) return chosen(expression, source)
  if ('join' in expression) return joined(expression, source)
  if ('minor' in expression)
    return whereGiven(expression.minor, source, (amount) =>
      majorOf(amount, plainValue(expression.currency, source)),
    )
  if ('money' in expression)
    return whereGiven(expression.money, source, (amount) =>
      moneyOf(signed(amount, expression.sign), plainValue(expression.currency, source)),
    )
  if ('unix' in expression)
    return whereGiven(expression.unix, source, (value) => unixOf(value, expression.unit ?? 's'))
  if ('iso' in expression) return whereGiven(expression.iso, source, (value) => isoOf(value, expression.zone))
  if ('date' in expression) return whereGiven(expression.date, source, dateOf)
  if ('text' in expression) return whereGiven(expression.text, source, textOf)
  if ('number' in expression)
    return whereGiven(expression.number, source, (value) => numberOf(signed(value, expression.sign)))
  if ('lower' in expression)
    return whereGiven(expression.lower, source, (value) => textOf(value).toLowerCase())
  if ('trim' in expression) return whereGiven(expression.trim, source, (value) => textOf(value).trim())
  if ('md5' in expression)
    return whereGiven(expression.md5, source, (value) =>
      createHash('md5').update(textOf(value)).digest('hex'),
    )
  throw new Unmappable('a lookup stands inside of another expression')
}

/** Nothing is made from nothing; null stays null, which clears a field. */
function whereGiven(
  expression: Expression,
  source: Source,
  make: (value: Exclude<Json, null>) => Json | undefined,
): Json | undefined {
  const value = plainValue(expression, source)
  return value === undefined || value === null ? value : make(value)
}

function firstOf(expressions: readonly Expression[], source: Source): Json | undefined {
  for (const expression of expressions) {
    const value = plainValue(expression, source)
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
}

function chosen(
  { choose, from, otherwise }: Extract<Expression, { readonly choose: Expression }>,
  source: Source,
): Json | undefined {
  const value = plainValue(choose, source)
  if (value === undefined || value === null) return otherwise
  const text = textOf(value)
  return Object.hasOwn(from, text) ? from[text] : otherwise
}

/** Parts that are missing or empty are left out, so that no separator stands alone. */
function joined(
  { join, with: separator }: Extract<Expression, { readonly join: readonly Expression[] }>,
  source: Source,
): Json | undefined {
  const parts = join
    .map((expression) => plainValue(expression, source))
    .filter((value) => value !== undefined && value !== null && value !== '')
    .map((value) => textOf(value as Exclude<Json, null>))
  return parts.length === 0 ? undefined : parts.join(separator)
}

/** What is not a number stays, and is refused as one. */
function signed(value: Exclude<Json, null>, sign: 'reversed' | undefined): Exclude<Json, null> {
  if (sign === undefined) return value
  if (typeof value === 'number') return value === 0 ? 0 : -value
  if (typeof value !== 'string') return value
  const text = value.trim()
  return text.startsWith('-') ? text.slice(1) : `-${text}`
}

function textOf(value: Exclude<Json, null>): string {
  if (typeof value === 'object') throw new Unmappable(`${shown(value)} is not a text`)
  return String(value)
}

function numberOf(value: Exclude<Json, null>): number {
  const number =
    typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value.trim()) ? Number(value) : value
  if (typeof number !== 'number') throw new Unmappable(`${shown(value)} is not a number`)
  return number
}
