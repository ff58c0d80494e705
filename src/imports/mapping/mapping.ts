/**
 * A mapping: which column of a file goes into which field, and how its text is read (docs/imports.md). A profile is a mapping
 * with a name; an import has a copy of its own.
 */
import { z } from 'zod'
import { isStep } from './steps.ts'

const name = z.string().min(1).max(200)
const words = z.array(z.string().max(200)).max(50)

/** What is done to a text before it is read, in this order. `pad:5:0`, `split:,:0`, `prefix:NL-`, `extract:(\d+)$`. */
const step = z
  .string()
  .max(100)
  .regex(
    /^(trim|upper|lower|collapse|digits|pad:\d{1,2}:.|split:.+:\d{1,2}|prefix:.+|extract:.+)$/u,
    'must be trim, upper, lower, collapse, digits, pad:<width>:<character>, split:<separator>:<place>, prefix:<text> or extract:<expression>',
  )
  .refine(isStep, {
    error: 'has an expression that cannot be used: it must be of RE2 syntax, and a short one',
  })

const source = {
  Column: name.exactOptional(),
  /** The texts of several columns, joined; empty ones are left out. */
  Columns: z.array(name).min(1).max(10).exactOptional(),
  Join: z.string().max(10).exactOptional(),
  Constant: z.union([z.string().max(1_000), z.number(), z.boolean()]).exactOptional(),
  Do: z.array(step).max(10).exactOptional(),
}

const part = z.strictObject(source)

const fieldMapping = z.strictObject({
  ...source,
  /** Of money. */
  Amount: part.exactOptional(),
  Currency: part.exactOptional(),
  Required: z.boolean().exactOptional(),
  /** Of a date: the order of its parts, such as DD-MM-YYYY. */
  Format: z.string().max(30).exactOptional(),
  /** Of a number: the sign before its decimals. */
  Decimal: z.enum(['.', ',']).exactOptional(),
  /** What texts stand for. */
  Values: z
    .record(z.string().max(200), z.string().max(200))
    .refine((values) => Object.keys(values).length <= 500, { error: 'has more than 500 values' })
    .exactOptional(),
  /** Texts that `Values` does not have. */
  Otherwise: z.enum(['error', 'keep', 'empty']).exactOptional(),
  /** The field of the other object that a lookup is found by; `Id` for its Key. */
  LookupBy: name.exactOptional(),
  OnMissing: z.enum(['error', 'empty']).exactOptional(),
  WhenEmpty: z.enum(['keep', 'clear']).exactOptional(),
})

const fileOptions = z.strictObject({
  Sheet: name.exactOptional(),
  HeaderRow: z.int().min(0).max(10_000).exactOptional(),
  SkipAfterHeader: z.int().min(0).max(10_000).exactOptional(),
  StopAtEmptyRows: z.int().min(1).max(1_000_000).exactOptional(),
  SkipRowsWhere: z.strictObject({ Column: name, Equals: words }).exactOptional(),
  Delimiter: z.string().min(1).max(2).exactOptional(),
  Quote: z.string().max(1).exactOptional(),
  Encoding: z.string().max(40).exactOptional(),
  FillMerged: z.boolean().exactOptional(),
})

const formats = z.strictObject({
  Decimal: z.enum(['.', ',']).exactOptional(),
  Group: z.enum(['.', ',', ' ', "'", '’', '']).exactOptional(),
  /** Orders of the parts of dates, tried one after the other: DD-MM-YYYY, D/M/YY. */
  Date: z.array(z.string().max(30)).max(10).exactOptional(),
  /** Two-digit years are the first from this one on. */
  Century: z.int().min(1800).max(2100).exactOptional(),
  TimeZone: z.string().max(60).exactOptional(),
  True: words.exactOptional(),
  False: words.exactOptional(),
  Null: words.exactOptional(),
  Trim: z.boolean().exactOptional(),
})

const strictness = z.enum(['error', 'ignore'])

export const mappingSchema = z.strictObject({
  Mode: z.enum(['create', 'update', 'upsert']).default('create'),
  File: fileOptions.exactOptional(),
  Formats: formats.exactOptional(),
  /** `Id`, or a unique field: what rows are recognized by. */
  KeyField: name.exactOptional(),
  Fields: z
    .record(name, fieldMapping)
    .refine((fields) => Object.keys(fields).length <= 500, { error: 'maps more than 500 fields' }),
  IgnoreColumns: z.array(name).max(500).exactOptional(),
  UnknownColumns: strictness.default('error'),
  MissingColumns: strictness.default('error'),
  /** Rows with the key of an earlier row. */
  DuplicatesInFile: z.enum(['error', 'inOrder']).default('error'),
  /** Rows whose KeyField another record has, on create: refused, or left as they are. */
  OnExisting: z.enum(['error', 'skip']).exactOptional(),
  AllowPastDates: z.boolean().default(false),
  EmptyCell: z.enum(['keep', 'clear']).default('keep'),
  /** `summary`: webhooks hear of the import, and of none of its rows. */
  Notify: z.enum(['each', 'summary']).exactOptional(),
})

export type Mapping = z.infer<typeof mappingSchema>
export type FieldMapping = z.infer<typeof fieldMapping>
export type SourceMapping = z.infer<typeof part>
export type FileMapping = z.infer<typeof fileOptions>
export type Formats = z.infer<typeof formats>
