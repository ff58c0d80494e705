/** What people choose a line to be for, as it is sent. */
import { z } from 'zod'
import type { Caller } from '../../../commands/command.ts'
import { Invalid } from '../../../domain/errors.ts'
import type { Json } from '../../../domain/json.ts'
import { readBody } from '../../../shapes/body.ts'
import { absolute, compare, isNegative, negated, sum } from '../../decimal.ts'
import type { MatchPart } from '../matching.ts'
import { INVOICE, openOf, PAYMENT } from './debts.ts'
import { decimalOf, moneyIn } from './line-of.ts'
import type { Line } from './match-line.ts'
import type { MatchWork } from './steps.ts'

export const chosenItem = z
  .strictObject({
    Payment: z.string().max(60).describe('Key of an expected payment.').exactOptional(),
    Invoice: z.string().max(60).describe('Key of an open invoice; this or Payment.').exactOptional(),
    Amount: z
      .number()
      .describe('As much as is open and the line has left, when it is not given.')
      .exactOptional(),
  })
  .refine(({ Payment, Invoice }) => (Payment === undefined) !== (Invoice === undefined), {
    error: 'needs Payment or Invoice, one of them',
  })
export const chosenBody = z.strictObject({
  Payments: z.array(chosenItem).min(1).max(50).describe('What it is for.'),
})

export interface ChosenItem {
  readonly object: typeof PAYMENT | typeof INVOICE
  readonly key: string
  readonly amount: number | undefined
}

/** @throws Invalid naming what is wrong */
export function readChosen(given: Json | undefined): readonly ChosenItem[] {
  const notValid = 'The match is not valid: it takes Payments, a list of {Payment or Invoice, Amount}.'
  const chosen = readBody(chosenBody, given ?? {}, notValid).Payments.map(({ Payment, Invoice, Amount }) => ({
    object: Payment === undefined ? (INVOICE as typeof INVOICE) : (PAYMENT as typeof PAYMENT),
    key: Payment ?? Invoice ?? '',
    amount: Amount,
  }))
  if (new Set(chosen.map(({ key }) => key)).size < chosen.length)
    throw new Invalid('The match is not valid.', [{ Field: 'Payments', Message: 'names one of them twice' }])
  return chosen
}

/** The parts with their amounts: where none is given, as much as is open and the line has left. */
export async function partsOf(
  { load }: MatchWork,
  { company }: Caller,
  { fields }: Line,
  chosen: readonly ChosenItem[],
): Promise<readonly MatchPart[]> {
  const parts: MatchPart[] = []
  const own = decimalOf(moneyIn(fields, 'Amount')?.Amount ?? 0)
  const isOut = isNegative(own)
  for (const { object, key, amount } of chosen) {
    const left = sum([absolute(own), ...parts.map((part) => negated(absolute(part.amount)))])
    const { fields: target } = await load(company, key)
    const open = absolute(
      decimalOf((object === PAYMENT ? moneyIn(target, 'Amount') : openOf(target))?.Amount ?? 0),
    )
    const most = compare(open, left) < 0 ? open : left
    parts.push({
      item: key,
      amount: amount === undefined ? (isOut ? negated(most) : most) : decimalOf(amount),
    })
  }
  return parts
}
