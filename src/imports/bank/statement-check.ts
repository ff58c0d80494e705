/** Whether a statement holds together: opening and lines make the closing balance, and what it says of itself is so. */
import { absolute, isEqual, isNegative, negated, sum, type Decimal } from '../decimal.ts'
import type { Balance, BankItem, Statement, StatementEnd } from './statement.ts'

export interface CheckedStatement {
  readonly statement: Statement
  readonly end: StatementEnd
  readonly lines: number
  readonly credits: Decimal
  readonly debits: Decimal
  /** Unknown: the file has no balances to check by. */
  readonly check: 'Ok' | 'WrongSum' | 'Unknown'
  /** What does not agree. */
  readonly message?: string
}

export interface StatementFold {
  /** The statement that ends with this item. */
  take(item: BankItem): CheckedStatement | undefined
}

export function statementFold(): StatementFold {
  let statement: Statement | undefined
  let amounts: Amounts = empty()
  return {
    take(item) {
      if (item.is === 'statement') {
        statement = item.statement
        amounts = empty()
      } else if (item.is === 'line') {
        const { amount } = item.line
        amounts.lines++
        if (isNegative(amount)) amounts.debits = sum([amounts.debits, absolute(amount)])
        else amounts.credits = sum([amounts.credits, amount])
      } else if (item.is === 'end' && statement) {
        const { lines, credits, debits } = amounts
        return { statement, end: item.end, lines, credits, debits, ...verdict(statement, item.end, amounts) }
      }
      return undefined
    },
  }
}

interface Amounts {
  lines: number
  credits: Decimal
  debits: Decimal
}

const empty = (): Amounts => ({ lines: 0, credits: '0', debits: '0' })

/** BAI2 reports summaries beside the lines that a client asked for: its balances need not follow from its lines. */
function verdict(
  { opening, format }: Statement,
  end: StatementEnd,
  { lines, credits, debits }: Amounts,
): Pick<CheckedStatement, 'check' | 'message'> {
  const wrong: string[] = []
  const differ = (what: string, said: Decimal | undefined, found: Decimal) => {
    if (said !== undefined && !isEqual(said, found)) wrong.push(`${what} ${said}, its lines make ${found}`)
  }
  if (opening && end.closing && format !== 'bai2')
    differ('the closing balance is', end.closing.amount, sum([opening.amount, credits, negated(debits)]))
  differ('the sum of credits is', end.credits, credits)
  differ('the sum of debits is', end.debits, debits)
  if (end.lines !== undefined && end.lines !== lines)
    wrong.push(`it says ${end.lines} lines and has ${lines}`)
  if (wrong.length > 0)
    return { check: 'WrongSum', message: `The statement does not add up: ${wrong.join('; ')}.` }
  const checked = [format === 'bai2' ? undefined : opening && end.closing, end.credits, end.debits, end.lines]
  return { check: checked.some((one) => one !== undefined) ? 'Ok' : 'Unknown' }
}

/** Whether nothing is missing between a statement and the one before it; true where one of them says no balance. */
export const followsOn = (previous: Balance | undefined, opening: Balance | undefined): boolean =>
  !previous ||
  !opening ||
  (previous.currency === opening.currency && isEqual(previous.amount, opening.amount))
