/** Names that integration files use. */
import { z } from 'zod'

export const headerName = z
  .string()
  .regex(/^[A-Za-z0-9-]{1,60}$/, 'must be the name of a header')
  .transform((name) => name.toLowerCase())

export const credentialName = z
  .string()
  .regex(/^[a-z][A-Za-z0-9]{0,39}$/, 'must be a name in camelCase of at most 40 letters and digits')

/**
 * The way to a value in JSON: names and places joined by dots, `data.items.0.id`. `$` alone is the value itself; a path that
 * begins with `$.` begins at the whole payload, also where the others begin at an item of it.
 */
export const path = z
  .string()
  .max(200)
  .regex(/^(\$|(\$\.)?[^.$\s]+(\.[^.$\s]+)*)$/, 'must be names joined by dots, such as data.object.id')

export const entryName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'must be in kebab-case, at most 40 characters')
