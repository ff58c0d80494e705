/** What OpenAPI says of `/api/v1/warehouse`. */
import { z } from 'zod'
import type { AreaDescription } from '../area.ts'
import { described } from '../openapi/described.ts'
import { reference, schemaRef, type Schema } from '../openapi/document.ts'
import { errors } from '../openapi/error-responses.ts'
import { body, fileHeaders, json, success } from '../openapi/wrappers.ts'

const ROWS = { error: 'must be an integer of 1 to 50000' }

export const warehouseQuestion = z.strictObject({
  Sql: z
    .string()
    .trim()
    .min(1, { error: 'must be text: a SELECT' })
    .max(20_000, { error: 'is longer than 20000 characters' })
    .describe('One SELECT.'),
  MaxRows: z
    .int(ROWS)
    .min(1, ROWS)
    .max(50_000, ROWS)
    .default(10_000)
    .describe('An answer of more rows is refused.'),
})

const column: Schema = {
  type: 'object',
  description: 'A column of a warehouse table.',
  properties: {
    Name: { type: 'string' },
    Type: {
      type: 'string',
      enum: ['text', 'integer', 'decimal', 'money', 'boolean', 'date', 'timestamp', 'json'],
    },
    Description: { type: 'string' },
    Field: { type: ['string', 'null'], description: 'The field that it comes from.' },
    Unit: { type: ['string', 'null'] },
    IsPersonal: { type: 'boolean', description: 'Whether it holds personal data.' },
    IsCurrent: { type: 'boolean', description: 'False: the object has no such field any more.' },
  },
  required: ['Name', 'Type', 'Description', 'Field', 'Unit', 'IsPersonal', 'IsCurrent'],
  additionalProperties: false,
}

const table: Schema = {
  type: 'object',
  description: 'A table of the warehouse, with the columns that are granted.',
  properties: {
    Name: { type: 'string', pattern: '^wh_[A-Za-z0-9]+_[A-Za-z0-9]+(_history)?$' },
    Object: { type: 'string' },
    IsHistory: { type: 'boolean', description: 'A row a version of a record, instead of a row a record.' },
    Description: { type: 'string' },
    Rows: { type: 'integer', minimum: 0, description: 'Deleted records are counted.' },
    Position: {
      type: 'integer',
      minimum: 0,
      description: "The company's events up to this `Position` of the audit are in the table.",
    },
    Columns: { type: 'array', items: schemaRef('Warehouse.Column') },
  },
  required: ['Name', 'Object', 'IsHistory', 'Description', 'Rows', 'Position', 'Columns'],
  additionalProperties: false,
}

const answer: Schema = {
  type: 'object',
  properties: {
    Columns: { type: 'array', items: { type: 'string' } },
    Rows: {
      type: 'array',
      maxItems: 50_000,
      items: {
        type: 'array',
        description: 'A value for each column. Integers past 2^53 are text.',
        items: { type: ['string', 'number', 'null'] },
      },
    },
  },
  required: ['Columns', 'Rows'],
  additionalProperties: false,
}

const row: Schema = {
  type: 'object',
  description: 'A row: its columns by name.',
  properties: { Key: { type: 'string' } },
  required: ['Key'],
  additionalProperties: true,
}

const tags = ['Warehouse']
const file: Schema = { type: 'string', format: 'binary' }

export const warehouseDescription: AreaDescription = {
  tag: {
    name: 'Warehouse',
    description: 'Records as tables, for analysts: a table and a history table for each object.',
  },
  paths: {
    '/api/v1/warehouse': {
      get: {
        operationId: 'listWarehouseTables',
        summary: 'List tables',
        description: 'Every table that may be exported, with its columns and what they mean.',
        tags,
        parameters: [reference('parameters', 'AtLeast')],
        responses: {
          200: {
            description: 'All tables.',
            content: json(
              success(
                { type: 'array', items: schemaRef('Warehouse.Table') },
                { Pagination: { type: 'object' } },
              ),
            ),
          },
          ...errors(),
        },
      },
    },
    '/api/v1/warehouse/query': {
      post: {
        operationId: 'queryWarehouse',
        summary: 'Ask in SQL',
        description:
          'One SELECT in the dialect of SQLite, over the tables of the own company. At most 5 s and 10 MB, and 10,000 rows unless it says otherwise.',
        tags,
        parameters: [reference('parameters', 'AtLeast')],
        requestBody: body(
          json(described(warehouseQuestion), {
            Sql: 'SELECT Status, count(*) AS Contracts FROM wh_Leasing_Contract GROUP BY Status',
          }),
        ),
        responses: {
          200: {
            description: 'The names of the columns, and the rows.',
            content: json(success(schemaRef('Warehouse.Answer')), {
              Success: true,
              Data: { Columns: ['Status', 'Contracts'], Rows: [['Active', 12]] },
            }),
          },
          ...errors(413, 415),
        },
      },
    },
    '/api/v1/warehouse/snapshot': {
      get: {
        operationId: 'downloadWarehouse',
        summary: 'Download everything',
        description: 'The whole warehouse as of one moment: an SQLite file, its name with the date.',
        tags,
        parameters: [reference('parameters', 'AtLeast')],
        responses: {
          200: {
            description: 'The file.',
            headers: fileHeaders,
            content: { 'application/vnd.sqlite3': { schema: file } },
          },
          ...errors(),
        },
      },
    },
    '/api/v1/warehouse/{table}': {
      get: {
        operationId: 'exportWarehouseTable',
        summary: 'Export a table',
        description:
          'The whole table as of one moment, streamed. An answer that is cut off is an error: ask again.',
        tags,
        parameters: [
          {
            name: 'table',
            in: 'path',
            required: true,
            description: 'Its name; upper and lower case do not matter.',
            schema: { type: 'string' },
            example: 'wh_Leasing_Contract',
          },
          {
            name: 'format',
            in: 'query',
            description:
              '`json`, `jsonl`: an object a row. `csv`: RFC 4180, formulas defused. `parquet`: with types.',
            schema: { type: 'string', enum: ['json', 'jsonl', 'csv', 'parquet'], default: 'json' },
          },
          reference('parameters', 'AtLeast'),
        ],
        responses: {
          200: {
            description: 'The rows, in the order in which they were made.',
            headers: fileHeaders,
            content: {
              ...json(success({ type: 'array', items: schemaRef('Warehouse.Row') })),
              'application/jsonl': { schema: schemaRef('Warehouse.Row') },
              'text/csv': { schema: { type: 'string' } },
              'application/vnd.apache.parquet': { schema: file },
            },
          },
          ...errors(404),
        },
      },
    },
  },
  schemas: {
    'Warehouse.Table': table,
    'Warehouse.Column': column,
    'Warehouse.Answer': answer,
    'Warehouse.Row': row,
  },
}
