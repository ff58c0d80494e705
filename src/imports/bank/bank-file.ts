/** What an import knows of the bank file that it is of, and what people choose for it. */
import { z } from 'zod'
import type { Json } from '../../domain/json.ts'
import { Invalid } from '../../domain/errors.ts'
import { bodyFaults, readShape } from '../../shapes/shape-faults.ts'

/** What the rows of a bank file become. */
export const BANK_LINE = 'banktransaction'

const choices = z.strictObject({
  /** Keys of bank accounts, by the account as the file has it; '' where the file says none. */
  Accounts: z.record(z.string().max(60), z.string().max(60)).exactOptional(),
  /** Whether a report of the day so far (camt.052) is taken. */
  Intraday: z.boolean().exactOptional(),
  /** Of CSV and workbooks: which bank's file it is. */
  Profile: z.string().max(60).exactOptional(),
  Encoding: z.string().max(40).exactOptional(),
})

export type BankChoices = z.infer<typeof choices>

/** Stored with the import. */
export interface BankFile {
  readonly Format?: string
  readonly Profile?: string | null
  readonly Statements?: number
  /** SHA-256 of what the file's statements are (`run/statement-plan.ts`). */
  readonly Plan?: string
  readonly Choices: BankChoices
}

/** @throws Invalid naming what is wrong */
export function readBankChoices(given: Json | undefined): BankChoices {
  const read = readShape(choices, given ?? {})
  if ('data' in read) return read.data
  const faults = bodyFaults(read.faults).map(({ Field, Message }) => ({
    Field: Field.slice(0, 100),
    Message: `${Message}; a bank file takes Accounts, Intraday, Profile and Encoding`,
  }))
  throw new Invalid('The choices for the bank file are not valid.', faults)
}
