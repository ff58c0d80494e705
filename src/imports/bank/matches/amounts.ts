/** Whether what a line is to be for fits into the line, and into what is open. */
import { Invalid, type Fault } from '../../../domain/errors.ts'
import type { Fields } from '../../../domain/json.ts'
import { absolute, compare, isNegative, sum } from '../../decimal.ts'
import { decimalOf, moneyIn } from './line-of.ts'
import type { MatchedPart } from './matched.ts'

/** @param fields of the line */
export function amountFaults(
  fields: Fields,
  amount: string,
  open: { readonly Amount: number; readonly Currency: string },
  place: number,
): readonly Fault[] {
  const own = moneyIn(fields, 'Amount')!
  const Field = `Payments[${place}].Amount`
  if (own.Currency !== open.Currency)
    return [{ Field, Message: `is in ${open.Currency}, and the line in ${own.Currency}` }]
  if (isNegative(amount) !== own.Amount < 0) return [{ Field, Message: 'must have the sign of the line' }]
  if (compare(absolute(amount), absolute(decimalOf(open.Amount))) > 0)
    return [{ Field, Message: `must be at most ${open.Amount}, which is open` }]
  return []
}

/** @throws Invalid when more is matched than the line has */
export function checkSum(fields: Fields, parts: readonly MatchedPart[]): void {
  const own = decimalOf(moneyIn(fields, 'Amount')!.Amount)
  const all = sum(parts.map(({ Amount }) => decimalOf(Amount)))
  if (compare(absolute(all), absolute(own)) > 0)
    throw new Invalid('The amounts do not fit.', [
      { Field: 'Payments', Message: `come to ${all}, and the line has ${own}` },
    ])
}
