/** Which column of a bank's CSV or workbook is what: data, a file for each bank that is shipped; companies have more of their own. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { Invalid } from '../../../domain/errors.ts'
import type { Json } from '../../../domain/json.ts'
import { bodyOrFaults } from '../../../shapes/body.ts'
import { DATE_FORMATS } from '../../values/dates.ts'

const column = z.string().min(1).max(200)

/** What the columns of a bank's file are, as it is written. */
export const bankProfileSchema = z.strictObject({
  Bank: z.string().min(1).max(100),
  /** Columns by which the file is known; all of them are there. */
  Header: z.array(column).min(2).max(100),
  /** How the file is read, where it does not show that itself. */
  File: z
    .strictObject({
      Delimiter: z.string().length(1).exactOptional(),
      Quote: z.string().max(1).exactOptional(),
      Encoding: z.string().max(40).exactOptional(),
      Sheet: z.string().max(31).exactOptional(),
    })
    .exactOptional(),
  /** What is said before the header: the cell after this text. */
  Preamble: z
    .strictObject({ Account: column.exactOptional(), Currency: column.exactOptional() })
    .exactOptional(),
  Date: z.enum(DATE_FORMATS),
  Decimal: z.enum(['.', ',']),
  /** Of the account, where the file has no column for it. */
  Currency: z.string().length(3).exactOptional(),
  Columns: z.strictObject({
    BookingDate: column,
    ValueDate: column.exactOptional(),
    Account: column.exactOptional(),
    Currency: column.exactOptional(),
    /** Signed, or made so by `Sign`; or two columns of which one has the amount. */
    Amount: column.exactOptional(),
    Credit: column.exactOptional(),
    Debit: column.exactOptional(),
    Sign: column.exactOptional(),
    Fee: column.exactOptional(),
    Balance: column.exactOptional(),
    Reference: column.exactOptional(),
    EndToEndId: column.exactOptional(),
    MandateId: column.exactOptional(),
    Structured: column.exactOptional(),
    Name: column.exactOptional(),
    CounterpartyAccount: column.exactOptional(),
    CounterpartyBic: column.exactOptional(),
    Code: column.exactOptional(),
    /** Joined. */
    Text: z.array(column).min(1).max(20),
  }),
  /** Texts of `Sign` that stand for money that went out. */
  Debits: z.array(z.string().max(100)).max(20).exactOptional(),
  /** Of cards: what was spent is positive. */
  IsInverse: z.boolean().exactOptional(),
  /** Only these rows are booked. */
  Booked: z
    .strictObject({ Column: column, Equals: z.array(z.string().max(100)).min(1).max(20) })
    .exactOptional(),
})

/** A profile as it is written; `id` is that of its file, or its Key. */
export type WrittenBankProfile = z.infer<typeof bankProfileSchema>

export interface BankProfile extends WrittenBankProfile {
  readonly id: string
}

/** @throws Invalid naming what is wrong */
export function readBankProfile(given: Json): WrittenBankProfile {
  const read = bodyOrFaults(bankProfileSchema, given)
  const faults = 'faults' in read ? read.faults : amountFaults(read.data)
  if ('faults' in read || faults.length > 0)
    throw new Invalid(
      'The profile of a bank is not valid.',
      faults.map(({ Field, Message }) => ({ Field: `Mapping.${Field}`.slice(0, 100), Message })),
    )
  return read.data
}

const amountFaults = ({ Columns: { Amount, Credit, Debit, Sign }, Debits }: WrittenBankProfile) => [
  ...(Amount === undefined && Credit === undefined && Debit === undefined
    ? [{ Field: 'Columns.Amount', Message: 'is missing; where there are two columns, give Credit and Debit' }]
    : []),
  ...(Sign !== undefined && !Debits
    ? [{ Field: 'Debits', Message: 'is missing: the texts of Sign that stand for money that went out' }]
    : []),
]

const FOLDER = join(import.meta.dirname, 'banks')

/** All that are shipped. */
export const bankProfiles = (): readonly BankProfile[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({
      id: name.replace(/\.json$/, ''),
      ...bankProfileSchema.parse(JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))),
    }))
