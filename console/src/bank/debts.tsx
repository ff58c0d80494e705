/** Payments and invoices that a line is for, or may be for, with what tells them apart. */
import { useQuery } from '@tanstack/react-query'
import { debtsQuery, type Part } from '../api/bank.ts'
import { textIn, type Record_ } from '../api/records.ts'
import { Go } from '../app/go.tsx'
import { isMoney, lookedUp, moneyText } from '../records/values/value.tsx'
import { dateText } from '../shared/times.tsx'
import { useWords } from '../words/words.tsx'

export interface DebtsProps {
  readonly label: string
  readonly line: Record_
  readonly parts: readonly Part[]
}

export function Debts({ label, line, parts }: DebtsProps) {
  const keys = (name: 'Payment' | 'Invoice') => parts.flatMap((part) => part[name] ?? [])
  const payments = useQuery(debtsQuery('payment', keys('Payment')))
  const invoices = useQuery(debtsQuery('invoice', keys('Invoice')))
  const known = new Map([...(payments.data ?? []), ...(invoices.data ?? [])].map((one) => [one.Id, one]))
  const currency = isMoney(line['Amount']) ? line['Amount'].Currency : ''
  if (parts.length === 0) return null
  return (
    <ul className="debts" aria-label={label}>
      {parts.flatMap(({ Payment, Invoice, Amount }) =>
        [Payment, Invoice].map(
          (key) =>
            key !== undefined && (
              <li key={key}>
                <Debt
                  debtKey={key}
                  record={known.get(key)}
                  amount={Amount === undefined ? undefined : { Amount, Currency: currency }}
                />
              </li>
            ),
        ),
      )}
    </ul>
  )
}

interface DebtProps {
  readonly debtKey: string
  /** Undefined: it is not there, or not yet. */
  readonly record: Record_ | undefined
  /** How much of the line is for it. */
  readonly amount: { readonly Amount: number; readonly Currency: string } | undefined
}

function Debt({ debtKey, record, amount }: DebtProps) {
  const { t, language } = useWords()
  const object = debtKey.slice(0, debtKey.indexOf('-'))
  const isPayment = object === 'payment'
  const number = textIn(record, isPayment ? 'PaymentNumber' : 'InvoiceNumber')
  const whole = record?.[isPayment ? 'Amount' : 'OpenAmount'] ?? record?.['TotalAmount']
  const due = textIn(record, 'DueDate')
  const facts = [
    lookedUp(record?.['Tenant'])?.name,
    due && t('bank.due', { day: dateText(due, language) }),
    isMoney(whole) && (!amount || whole.Amount !== amount.Amount) && moneyText(whole, language),
  ]
  return (
    <>
      <span>
        <Go to={`/records/${object}/${debtKey}`} className="value-link">
          {t(isPayment ? 'bank.payment' : 'bank.invoice', {
            number: number ?? `…${debtKey.slice(-6)}`,
          })}
        </Go>
        <span className="aside">{facts.filter(Boolean).join(' · ')}</span>
      </span>
      {amount && <span className="number one-line">{moneyText(amount, language)}</span>}
    </>
  )
}
