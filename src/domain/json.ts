/** What JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** Fields of a record or an event: PascalCase names to canonical values (see `field-values.ts`). */
export type Fields = { readonly [name: string]: Json }

export function isObject(value: unknown): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
