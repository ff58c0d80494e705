/**
 * The body of a request to another system: what stands in it, and where its values come from. Objects and lists say that they
 * are, so that no name of the other system can be mistaken for an expression.
 *
 *     { "object": { "Type": { "value": "ACCREC" }, "LineItems": { "list": [{ "object": { "Quantity": { "value": 1 } } }] } } }
 */
import { z } from 'zod'
import { expression, type Expression } from './expression-schema.ts'

export type Template =
  | { readonly object: { readonly [name: string]: Template } }
  | { readonly list: readonly Template[] }
  | Expression

export const template: z.ZodType<Template> = z.lazy(() =>
  z.union([
    z.strictObject({ object: z.record(z.string().min(1).max(100), template) }),
    z.strictObject({ list: z.array(template).max(50) }),
    expression,
  ]),
)
