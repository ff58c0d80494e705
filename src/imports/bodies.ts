/** What imports take beside files, as schemas: the bodies are read by them, and OpenAPI describes them from them. */
import { z } from 'zod'
import { mappingSchema } from './mapping/mapping.ts'

const onError = z.enum(['continue', 'stop', 'nothing'])

export const commitOptions = z.strictObject({
  OnError: onError.exactOptional(),
  MaxErrors: z.int().min(0).nullable().exactOptional(),
})

/** What is said about a file: as query parameters, or as members of `options` in a form. Its mapping is judged with its object. */
export const uploadOptions = z.strictObject({
  Mode: mappingSchema.shape.Mode.unwrap().nullable().exactOptional(),
  Commit: z.boolean().default(false),
  FileName: z.string().nullable().exactOptional(),
  Again: z.boolean().default(false),
  OnError: onError.nullable().exactOptional(),
  MaxErrors: commitOptions.shape.MaxErrors,
  AllowPastDates: z.boolean().default(false),
  Mapping: z.looseObject({}).exactOptional(),
  Profile: z.string({ error: 'must be the Key of an import profile' }).nullable().exactOptional(),
})

export const undoOptions = z.strictObject({
  Conflicts: z
    .enum(['keep', 'fields', 'force'])
    .default('keep')
    .describe(
      'What others have changed since: `keep` leaves the record, `fields` sets back the other fields, `force` all of it.',
    ),
  Commit: z.boolean().default(false).describe('Commits as soon as it is checked.'),
})

export const newProfile = z.strictObject({
  Name: z.string().min(1).max(200),
  Object: z.string({ error: 'must be the name of an object, such as contract' }),
  Mapping: z.looseObject({}),
})

/** What is asked of profiles for columns. */
export const columnsOfFile = z.strictObject({
  Object: z.string({ error: 'must be the name of an object, such as contract' }),
  Columns: z.array(z.string(), { error: 'must be an array of at most 500 names' }).max(500),
})

/** In place of a mapping: that of a profile. */
export const byProfile = z.strictObject({ Profile: z.string() })
