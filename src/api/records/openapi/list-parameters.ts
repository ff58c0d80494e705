/** The query parameters of a list (docs/interface.md#list-parameters), said for one object: which fields, which lookups, an example. */
import { STANDARD_FIELDS, type Definitions, type ObjectDefinition } from '../../../domain/definition.ts'
import { type Parameter, type Reference } from '../../openapi/document.ts'
import { momentText } from '../../history/openapi/history-schemas.ts'
import { sampleFilter } from './samples.ts'
import { PAGING } from '../../openapi/wrappers.ts'

const FILTER =
  'An OData-style expression: `eq ne gt ge lt le in`, `not in`, `and or not ( )`, `contains startswith endswith`, ' +
  "`tolower toupper length year month day now() today()`, `null true false`, numbers, dates, timestamps and texts in single quotes (`''` for a quote). " +
  '`A/B` leads through a lookup or into money. `contains`, `startswith` and `endswith` ignore case, `eq` does not.'

export function listParameters(
  definition: ObjectDefinition,
  definitions: Definitions,
): readonly (Parameter | Reference)[] {
  const searched = definition.fields.filter(({ searchable }) => searchable).map(({ name }) => name)
  return [
    ...PAGING,
    {
      name: 'sort',
      in: 'query',
      description:
        'Names of fields, separated by commas; a leading `-` means descending. `A/B` leads through a lookup.',
      schema: { type: 'string' },
      example: '-CreatedAt',
    },
    {
      name: 'filter',
      in: 'query',
      description: FILTER,
      schema: { type: 'string', maxLength: 4_096 },
      example: sampleFilter(definition, definitions),
    },
    ...selectionParameters(definition),
    {
      name: 'search',
      in: 'query',
      description:
        'Words to find. Each must begin a word of a searchable field; case and accents do not matter. ' +
        (searched.length > 0 ? `Searched: ${searched.join(', ')}.` : 'This object has no searchable field.'),
      schema: { type: 'string', maxLength: 500 },
    },
  ]
}

/** `fields` and `expand`: what of a record is answered. */
export function selectionParameters({ fields, display }: ObjectDefinition): readonly Parameter[] {
  const names = [...STANDARD_FIELDS, ...fields].map(({ name }) => name)
  const lookups = fields.filter(({ type }) => type === 'lookup').map(({ name }) => name)
  const commas = { in: 'query', style: 'form', explode: false } as const
  const select: Parameter = {
    name: 'fields',
    ...commas,
    description: 'Names of the fields to include, separated by commas; Id is always included.',
    schema: { type: 'array', items: { type: 'string', enum: names } },
    example: [display, 'ModifiedAt'],
  }
  const expand: Parameter = {
    name: 'expand',
    ...commas,
    description: 'Names of the lookup fields, separated by commas, that are to hold the full record.',
    schema: { type: 'array', items: { type: 'string', enum: lookups } },
    example: lookups.slice(0, 2),
  }
  return lookups.length > 0 ? [select, expand] : [select]
}

/** `asOf` of a list. */
export const listAsOf: Parameter = {
  name: 'asOf',
  in: 'query',
  description:
    `The list as it was at this moment: ${momentText}, or \`@\` and a \`Daybook-Position\`. \`now\` is the present; the answer says where that is in \`Daybook-Position\`, for the pages that follow.` +
    `  Names of looked-up records are those of then. Needs the grant \`audit\`.`,
  schema: { type: 'string' },
  example: '2029-12-31',
}

/** `asOf` of a record. */
export const recordAsOf: Parameter = {
  ...listAsOf,
  description: `The record as it was at this moment, or after this version: ${momentText}, \`@\` and a \`Daybook-Position\`, or an integer. Needs the grant \`audit\`.`,
}
