/**
 * The steps of a match, forwards and back: payments received, made or failed, and what their invoices have open. Each is a command whose
 * name derives from the line and the round, so that it is done once, however often it is run.
 */
import type { Caller } from '../../../commands/command.ts'
import { derivedId } from '../../../commands/support/identifiers.ts'
import type { WriteRecords } from '../../../commands/write-records.ts'
import type { KeyedLocks } from '../../../commands/support/keyed-locks.ts'
import type { Company } from '../../../domain/events/event.ts'
import type { RecordState } from '../../../domain/records/record.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Written } from '../../../commands/support/record-appends.ts'
import { Conflict, PreconditionFailed } from '../../../domain/errors.ts'
import type { Fields, Json } from '../../../domain/json.ts'
import { absolute, compare, isEqual, isZero, negated, sum } from '../../decimal.ts'
import type { Reading } from '../run/company-records.ts'
import type { Pace } from '../../run/run-rows.ts'
import { INVOICE, openOf, PAYMENT } from './debts.ts'
import { decimalOf, moneyIn } from './line-of.ts'
import { forService, type MatchedPart, type Matches } from './matched.ts'

export interface MatchWork extends Reading {
  readonly write: WriteRecords
  readonly load: (company: Company, key: string) => Promise<RecordState>
  readonly clock: Clock
  readonly newCommand: () => string
  /** Holds a bank account while its lines are matched: two that match the same lines would hinder each other. */
  readonly turns: Pick<KeyedLocks, 'holding'>
  readonly pace: () => Pace
}

export interface Stepping {
  readonly work: MatchWork
  readonly caller: Caller
  /** Key of the line, and its fields. */
  readonly line: string
  readonly fields: Fields
  readonly matches: Matches
  /** The match was begun just now: no earlier run can have done any of its steps. */
  readonly isFirst: boolean
}

/** Times that an invoice is decided again after another was faster. */
const ATTEMPTS = 8

type Way = 'do' | 'undo'

/** Never granted more than once: who may do it was asked before the first step. */
export function stepCaller(
  { caller, line, matches, isFirst }: Stepping,
  way: Way,
  place: number,
  what: string,
): Caller {
  const command = derivedId(`match/${line}/${matches.Round}/${way}/${place}/${what}`)
  const reason = caller.reason ?? `${way === 'do' ? 'matched with' : 'not for'} ${line}`
  const free = { grant: undefined, reads: undefined }
  return { ...caller, command, repeatedFrom: matches.At, runsFirst: isFirst, reason, ...free }
}

const definitionOf = ({ work }: Stepping, object: string) => forService(work.definitions.get(object)!)

async function change(
  stepping: Stepping,
  caller: Caller,
  object: string,
  key: string,
  decide: (fields: Fields) => Fields,
): Promise<Written> {
  const { work } = stepping
  // What was done is not decided again: by now it looks as if it could not be done.
  const done = await work.write.doneBefore(caller, key)
  if (done) return done
  for (let attempt = 1; ; attempt++) {
    const { fields, version } = await work.load(caller.company, key)
    const body = decide(fields)
    try {
      const definition = definitionOf(stepping, object)
      return await work.write.update(caller, {
        definition,
        key,
        body,
        expected: [version],
        writing: 'replace',
      })
    } catch (error) {
      if (!(error instanceof PreconditionFailed)) throw error
      if (attempt === ATTEMPTS)
        throw new Conflict(`${key} is being changed by others at this moment; try again`)
    }
  }
}

export async function doPart(stepping: Stepping, part: MatchedPart, place: number): Promise<void> {
  const { work, line, fields } = stepping
  const caller = stepCaller(stepping, 'do', place, 'payment')
  const ReceivedAt = `${fields['BookingDate'] as string}T00:00:00Z`
  if (part.Kind === 'received')
    await change(stepping, caller, PAYMENT, part.Payment, (payment) => {
      mustBe(payment, part.Payment, ['Expected', 'Pending'])
      return { Status: 'Received', ReceivedAt, BankTransaction: line }
    })
  else if (part.Kind === 'returned')
    await change(stepping, caller, PAYMENT, part.Payment, (payment) => {
      mustBe(payment, part.Payment, ['Received'])
      return { Status: 'Failed', FailureReason: fields['ReturnReason'] ?? 'returned by the bank' }
    })
  else {
    const body = { ...part.Before, ReceivedAt, BankTransaction: line, Status: 'Received' }
    await work.write.create(caller, { definition: definitionOf(stepping, PAYMENT), body, importing: true })
    if (part.Of !== null)
      await change(stepping, stepCaller(stepping, 'do', place, 'rest'), PAYMENT, part.Of, (expected) => ({
        Amount: less(expected, part.Amount),
      }))
  }
  await settleInvoice(stepping, part, place, 'do')
}

/** What was not done is not undone. */
export async function undoPart(stepping: Stepping, part: MatchedPart, place: number): Promise<void> {
  const wasDone = async (what: string, keyOrObject: string) =>
    (await stepping.work.write.doneBefore(stepCaller(stepping, 'do', place, what), keyOrObject)) !== undefined
  if (part.Invoice !== null && (await wasDone('invoice', part.Invoice)))
    await settleInvoice(stepping, part, place, 'undo')
  if (part.Of !== null && (await wasDone('rest', part.Of)))
    await change(stepping, stepCaller(stepping, 'undo', place, 'rest'), PAYMENT, part.Of, (expected) => ({
      Amount: less(expected, -part.Amount),
    }))
  if (!(await wasDone('payment', part.Payment))) return
  const { Status = 'Expected', ReceivedAt = null } = part.Before
  const body: Readonly<Record<MatchedPart['Kind'], Fields>> = {
    received: { Status, ReceivedAt, BankTransaction: null },
    made: { Status: 'Cancelled', ReceivedAt: null, BankTransaction: null },
    returned: { Status: 'Received', FailureReason: null },
  }
  const caller = stepCaller(stepping, 'undo', place, 'payment')
  await change(stepping, caller, PAYMENT, part.Payment, () => body[part.Kind])
}

async function settleInvoice(stepping: Stepping, part: MatchedPart, place: number, way: Way): Promise<void> {
  if (part.Invoice === null) return
  const isPaying = (way === 'do') === (part.Kind !== 'returned')
  const caller = stepCaller(stepping, way, place, 'invoice')
  await change(stepping, caller, INVOICE, part.Invoice, (invoice) => {
    if (way === 'do' && part.Kind !== 'returned') mustHaveOpen(invoice, part.Invoice!, part.Amount)
    return settled(invoice, isPaying ? part.Amount : -part.Amount, part.InvoiceStatus)
  })
}

/** Another account's line may have paid it since it was chosen. */
function mustHaveOpen(invoice: Fields, key: string, amount: number): void {
  const open = decimalOf(openOf(invoice)?.Amount ?? 0)
  if (compare(absolute(decimalOf(amount)), absolute(open)) <= 0) return
  throw new Conflict(`${key} has only ${open} open by now, and the line is to pay ${amount} of it.`)
}

/** What an invoice becomes when an amount is paid; a negative one was not. `before`: its state before it was paid. */
export function settled(invoice: Fields, amount: number, before: string | null): Fields {
  const open = openOf(invoice)
  const total = moneyIn(invoice, 'TotalAmount')
  if (!open || !total) return {}
  const left = sum([decimalOf(open.Amount), negated(decimalOf(amount))])
  const isUntouched = isEqual(left, decimalOf(total.Amount))
  const reopened = before === 'Overdue' ? 'Overdue' : isUntouched ? 'Issued' : 'PartlyPaid'
  const isPaying = Math.sign(amount) === Math.sign(total.Amount)
  const Status = isZero(left) ? 'Paid' : isPaying ? 'PartlyPaid' : reopened
  return { OpenAmount: { Amount: Number(left), Currency: open.Currency }, Status }
}

function less(fields: Fields, amount: number): Json {
  const money = moneyIn(fields, 'Amount')!
  return {
    Amount: Number(sum([decimalOf(money.Amount), negated(decimalOf(amount))])),
    Currency: money.Currency,
  }
}

function mustBe(fields: Fields, key: string, states: readonly string[]): void {
  if (states.includes(fields['Status'] as string)) return
  throw new Conflict(`${key} is ${fields['Status'] as string} by now; it was ${states.join(' or ')}.`)
}
