/** Which column of a bank's CSV or workbook is what: data, a file for each bank. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DATE_FORMATS } from '../../values/dates.ts'

const column = z.string().min(1).max(200)

const profile = z.strictObject({
  Bank: z.string(),
  /** Columns by which the file is known; all of them are there. */
  Header: z.array(column).min(2),
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
    Text: z.array(column).min(1),
  }),
  /** Texts of `Sign` that stand for money that went out. */
  Debits: z.array(z.string()).exactOptional(),
  /** Of cards: what was spent is positive. */
  IsInverse: z.boolean().exactOptional(),
  /** Only these rows are booked. */
  Booked: z.strictObject({ Column: column, Equals: z.array(z.string()).min(1) }).exactOptional(),
})

export interface BankProfile extends z.infer<typeof profile> {
  readonly id: string
}

const FOLDER = join(import.meta.dirname, 'banks')

/** All that are shipped. */
export const bankProfiles = (): readonly BankProfile[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({
      id: name.replace(/\.json$/, ''),
      ...profile.parse(JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))),
    }))
