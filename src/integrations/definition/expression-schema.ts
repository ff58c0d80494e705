/**
 * How a value is made from a payload. The list is closed: no arithmetic, no conditions, no code.
 *
 *     "data.object.id"                                   the value at a path
 *     { "value": "Card" }                                always this
 *     { "setting": "list" }                              what the installation says of it
 *     { "minor": "amount", "currency": "currency" }      money in the smallest unit of its currency
 *     { "choose": "status", "from": { "paid": "Received" }, "otherwise": null }
 *     { "lookup": "contract", "by": "ContractNumber", "from": "metadata.contract", "missing": "leave" }
 *     { "lookup": "contract", "by": "ContractNumber", "from": "metadata.contract", "take": "Tenant" }
 */
import { z } from 'zod'
import type { Json } from '../../domain/json.ts'
import { credentialName, path } from './names.ts'

/** What happens to a lookup that finds no record, or several. `wait`: the change waits until it is there. */
const missing = z.enum(['leave', 'reject', 'wait'])

/** One side writes as positive what the other writes as negative, such as the amount of a credit note. */
const sign = z.literal('reversed')

export type Expression =
  | string
  | { readonly value: Json }
  | { readonly setting: string }
  | { readonly minor: Expression; readonly currency: Expression }
  | { readonly money: Expression; readonly currency: Expression; readonly sign?: 'reversed' }
  | { readonly unix: Expression; readonly unit?: 's' | 'ms' }
  | { readonly iso: Expression; readonly zone?: string }
  | { readonly date: Expression }
  | { readonly text: Expression }
  | { readonly number: Expression; readonly sign?: 'reversed' }
  | { readonly lower: Expression }
  | { readonly trim: Expression }
  | { readonly md5: Expression }
  | { readonly join: readonly Expression[]; readonly with: string }
  | { readonly default: readonly Expression[] }
  | {
      readonly choose: Expression
      readonly from: { readonly [text: string]: Json }
      readonly otherwise?: Json
    }
  | Lookup

/** The Key of the one record whose field has the value; several are as good as none. */
export interface Lookup {
  readonly lookup: string
  readonly by: string
  readonly from: Expression
  /** A field of that record instead of its Key. */
  readonly take?: string
  readonly missing: 'leave' | 'reject' | 'wait'
}

export const expression: z.ZodType<Expression> = z.lazy(() =>
  z.union([
    path,
    z.strictObject({ value: json }),
    z.strictObject({ setting: credentialName.describe('What the installation says of it.') }),
    z.strictObject({ minor: expression, currency: expression }),
    z.strictObject({ money: expression, currency: expression, sign: sign.exactOptional() }),
    z.strictObject({ unix: expression, unit: z.enum(['s', 'ms']).exactOptional() }),
    z.strictObject({
      iso: expression,
      zone: z
        .string()
        .regex(/^(Z|[+-]\d{2}:\d{2})$/, 'must be Z or an offset such as +01:00')
        .describe('Of times that name none.')
        .exactOptional(),
    }),
    z.strictObject({ date: expression }),
    z.strictObject({ text: expression }),
    z.strictObject({ number: expression, sign: sign.exactOptional() }),
    z.strictObject({ lower: expression }),
    z.strictObject({ trim: expression }),
    z.strictObject({ md5: expression }),
    z.strictObject({ join: z.array(expression).min(1).max(10), with: z.string().max(10) }),
    z.strictObject({ default: z.array(expression).min(2).max(5) }),
    z.strictObject({
      choose: expression,
      from: z.record(z.string().max(200), json),
      otherwise: json.exactOptional(),
    }),
    z.strictObject({
      lookup: z.string().max(40),
      by: z.string().max(60),
      from: expression,
      take: z.string().max(60).describe('A field of that record, instead of its Key.').exactOptional(),
      missing: missing.default('leave'),
    }),
  ]),
)

const json: z.ZodType<Json> = z.json()
