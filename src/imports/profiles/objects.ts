/** The `importprofile` object: a mapping with a name, for files that come again. Names and meanings of fields are stored for ever. */
import type { ObjectDefinition } from '../../domain/definition.ts'

export const PROFILE = 'importprofile'

export const profileDefinition: ObjectDefinition = {
  object: PROFILE,
  name: 'Import profile',
  application: 'Daybook',
  description: 'A mapping with a name: which column goes where, for files that come again.',
  display: 'Name',
  internal: { secrets: [] },
  fields: [
    { name: 'Name', type: 'text', required: true, unique: true, maxLength: 200 },
    { name: 'Object', type: 'text', required: true, maxLength: 60 },
    { name: 'Mapping', type: 'json', description: 'Which column goes where, and how.' },
  ],
}
