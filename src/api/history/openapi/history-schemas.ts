/** Schemas that histories and the audit share. */
import type { Schema } from '../../openapi/document.ts'
import { sampleKey } from '../../records/openapi/samples.ts'

export const keyText: Schema = { type: 'string', pattern: '^[a-z][a-z0-9]*-[0-9a-z]+$' }

export const timestampSchema: Schema = { type: 'string', format: 'date-time' }

export const bySchema: Schema = {
  type: 'object',
  description: 'Who did it: a user or a token.',
  properties: {
    Id: { type: 'string' },
    Name: { type: 'string', description: 'As it is now; the Key where there is none.' },
  },
  required: ['Id', 'Name'],
  additionalProperties: false,
}

export const byExample = { Id: sampleKey('user'), Name: 'Erika Muster' }

export const reasonSchema: Schema = {
  type: ['string', 'null'],
  description: 'What was sent as `Daybook-Reason` or as the comment of a workflow action.',
}

/** How exact a moment may be written. */
export const momentText =
  'a day (all of it, UTC), a timestamp (all of its second), or one with a fraction of a second'
