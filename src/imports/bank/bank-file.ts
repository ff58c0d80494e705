/** What an import knows of the bank file that it is of, and what people choose for it. */
import { z } from 'zod'
import type { Json } from '../../domain/json.ts'
import { readBody } from '../../shapes/body.ts'

/** What the rows of a bank file become. */
export const BANK_LINE = 'banktransaction'

export const bankChoices = z.strictObject({
  Accounts: z
    .record(z.string().max(60), z.string().max(60))
    .describe('Keys of bank accounts, by the account as the file has it; empty where the file says none.')
    .exactOptional(),
  Intraday: z.boolean().describe('Whether a report of the day so far (camt.052) is taken.').exactOptional(),
  Profile: z.string().max(60).describe("Of CSV and workbooks: which bank's file it is.").exactOptional(),
  Encoding: z.string().max(40).exactOptional(),
})

export type BankChoices = z.infer<typeof bankChoices>

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
  return readBody(bankChoices, given ?? {}, 'The choices for the bank file are not valid.')
}
