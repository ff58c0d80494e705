/** Matching a line, taking a match back, and leaving a line alone. What was begun and not ended is ended first. */
import type { Caller } from '../../../commands/command.ts'
import { derivedId, derivedKey } from '../../../commands/support/identifiers.ts'
import { Conflict, Invalid, NotFound } from '../../../domain/errors.ts'
import type { Fields, Json } from '../../../domain/json.ts'
import { isEqual, sum } from '../../decimal.ts'
import type { Match, MatchPart, MatchRule } from '../matching.ts'
import { BANK_LINE } from '../bank-file.ts'
import { amountFaults, checkSum } from './amounts.ts'
import { INVOICE, OPEN_INVOICES, OPEN_PAYMENTS, openOf, PAYMENT } from './debts.ts'
import { decimalOf, moneyIn } from './line-of.ts'
import { forService, matchesOf, type MatchedPart, type Matches } from './matched.ts'
import { doPart, stepCaller, undoPart, type MatchWork, type Stepping } from './steps.ts'

export interface Line {
  readonly key: string
  readonly version: number
  readonly fields: Fields
}

/** @throws NotFound */
export async function loadLine(work: MatchWork, { company }: Caller, key: string): Promise<Line> {
  const { status, version, fields } = await work.load(company, key)
  if (status !== 'live') throw new NotFound(`there is no ${BANK_LINE} ${key.slice(0, 100)}`)
  return { key, version, fields }
}

const lineDefinition = (work: MatchWork) => forService(work.definitions.get(BANK_LINE)!)

async function writeLine(work: MatchWork, caller: Caller, line: Line, body: Fields): Promise<Line> {
  const free = { ...caller, grant: undefined, reads: undefined }
  const change = { definition: lineDefinition(work), key: line.key, expected: [line.version], body }
  const { state } = await work.write.update(free, { ...change, writing: 'replace' })
  return { key: line.key, version: state.version, fields: state.fields }
}

/** The match of people's choice, or of a rule. */
export interface Chosen {
  readonly rule: MatchRule | 'by-hand'
  readonly parts: readonly MatchPart[]
  /** Of a return: the payment that is taken back. */
  readonly payment?: string
  readonly as?: Match['as']
}

/** @throws Conflict where the line or what it is to be for stands otherwise by now; Invalid for amounts that do not fit */
export async function matchLine(work: MatchWork, caller: Caller, key: string, chosen: Chosen): Promise<Line> {
  const line = await ended(work, caller, await loadLine(work, caller, key))
  if (isMatchedSo(line, chosen)) return line
  mustBeOpen(line)
  if (chosen.as) return leaveLine(work, caller, line, chosen)
  const { Round, LeftToPeople } = matchesOf(line.fields)
  const [At, round] = [work.clock.now(), Round + 1]
  const Parts = chosen.payment
    ? [await returnedPart(work, caller, chosen.payment)]
    : await Promise.all(
        chosen.parts.map((part, place) => partOf(work, caller, line, part, { At, round, place })),
      )
  checkSum(line.fields, Parts)
  const matches: Matches = { State: 'doing', Round: round, At, Parts, ...(LeftToPeople && { LeftToPeople }) }
  const body = { Matches: matches as unknown as Json, MatchRule: chosen.rule }
  const begun = await writeLine(work, { ...caller, command: work.newCommand() }, line, body)
  return finish(work, caller, begun, true)
}

/** Whether a request that comes again asks for what is so already. */
function isMatchedSo({ fields }: Line, { parts, payment }: Chosen): boolean {
  const { State, Parts } = matchesOf(fields)
  if (State !== 'done') return false
  if (payment !== undefined)
    return Parts.length === 1 && Parts[0]!.Payment === payment && Parts[0]!.Kind === 'returned'
  const named = (item: string, amount: string) => `${item} ${Number(amount)}`
  const asked = parts.map(({ item, amount }) => named(item, amount)).sort()
  const done = Parts.map((part) => {
    const item = part.Of ?? (part.Kind === 'received' ? part.Payment : part.Invoice)
    return named(item ?? '', decimalOf(part.Amount))
  }).sort()
  return asked.length > 0 && asked.join() === done.join()
}

async function leaveLine(work: MatchWork, caller: Caller, line: Line, { rule, as }: Chosen): Promise<Line> {
  const type = as === 'Fee' || as === 'Interest' ? { TransactionType: as } : {}
  return writeLine(work, { ...caller, command: work.newCommand() }, line, {
    Status: 'Ignored',
    MatchRule: rule,
    ...type,
  })
}

export async function ignoreLine(work: MatchWork, caller: Caller, key: string): Promise<Line> {
  const line = await ended(work, caller, await loadLine(work, caller, key))
  if (line.fields['Status'] === 'Ignored') return line
  mustBeOpen(line)
  return leaveLine(work, caller, line, { rule: 'by-hand', parts: [] })
}

/**
 * @param by `person`: the service does not match the line again by itself; `service`: it may
 * @throws Conflict where a payment or an invoice has moved on since
 */
export async function unmatchLine(
  work: MatchWork,
  caller: Caller,
  key: string,
  by: 'person' | 'service',
): Promise<Line> {
  const line = await ended(work, caller, await loadLine(work, caller, key))
  const before = matchesOf(line.fields)
  const wasLeftByHand = line.fields['Status'] === 'Ignored' && line.fields['MatchRule'] === 'by-hand'
  const isStanding = by === 'person' && !wasLeftByHand
  const matches: Matches = isStanding ? { ...before, LeftToPeople: true } : before
  const command = work.newCommand()
  if (matches.State === 'none') {
    if (line.fields['Status'] !== 'Ignored') return line
    const open = { Status: 'Unmatched', MatchRule: null, Matches: matches as unknown as Json }
    return writeLine(work, { ...caller, command }, line, open)
  }
  for (const part of matches.Parts) await mustNotHaveMovedOn(work, caller, part)
  const undoing: Matches = { ...matches, State: 'undoing' }
  const body = { Status: 'Unmatched', Matches: undoing as unknown as Json }
  return finish(work, caller, await writeLine(work, { ...caller, command }, line, body))
}

/** Whether it is matched or left alone, and that can be taken back now. @throws Conflict where a payment or an invoice has moved on since */
export async function mayUnmatchLine(work: MatchWork, caller: Caller, key: string): Promise<boolean> {
  const { fields } = await loadLine(work, caller, key)
  const { Parts } = matchesOf(fields)
  for (const part of Parts) await mustNotHaveMovedOn(work, caller, part)
  return Parts.length > 0 || fields['Status'] === 'Ignored'
}

/** Ends what a process that died has begun with the line. */
export const endLine = async (work: MatchWork, caller: Caller, key: string): Promise<Line> =>
  ended(work, caller, await loadLine(work, caller, key))

/** The line once what was begun with it is ended. */
async function ended(work: MatchWork, caller: Caller, line: Line): Promise<Line> {
  const { State } = matchesOf(line.fields)
  return State === 'doing' || State === 'undoing' ? finish(work, caller, line) : line
}

/** @param isFirst the match was begun just now */
async function finish(work: MatchWork, caller: Caller, line: Line, isFirst = false): Promise<Line> {
  const matches = matchesOf(line.fields)
  const stepping: Stepping = { work, caller, line: line.key, fields: line.fields, matches, isFirst }
  if (matches.State === 'undoing') return takeBack(stepping, line)
  try {
    for (const [place, part] of matches.Parts.entries()) await doPart(stepping, part, place)
  } catch (error) {
    if (!(error instanceof Conflict || error instanceof Invalid || error instanceof NotFound)) throw error
    const undoing: Matches = { ...matches, State: 'undoing' }
    const own = { ...caller, command: work.newCommand() }
    const back = await writeLine(work, own, line, { Matches: undoing as unknown as Json })
    // By now some of its steps may be done: each is asked for.
    await takeBack({ ...stepping, matches: undoing, isFirst: false }, back)
    throw error
  }
  const amount = moneyIn(line.fields, 'Amount')!
  const matched = sum(
    matches.Parts.map(({ Kind, Amount }) => decimalOf(Kind === 'returned' ? -Amount : Amount)),
  )
  const isWhole = isEqual(matched, decimalOf(amount.Amount))
  const tenants = new Set(await Promise.all(matches.Parts.map((part) => tenantOf(work, caller, part))))
  const [Tenant = null] = tenants.size === 1 ? tenants : []
  return writeLine(work, stepCaller(stepping, 'do', -1, 'line'), line, {
    Status: isWhole ? 'Matched' : 'PartlyMatched',
    MatchedAmount: { Amount: Number(matched), Currency: amount.Currency },
    Tenant,
    Matches: { ...matches, State: 'done' } as unknown as Json,
  })
}

async function takeBack(stepping: Stepping, line: Line): Promise<Line> {
  const { work, matches } = stepping
  for (const [place, part] of [...matches.Parts.entries()].reverse()) await undoPart(stepping, part, place)
  const none: Matches = { ...matches, State: 'none', At: 0, Parts: [] }
  return writeLine(work, stepCaller(stepping, 'undo', -1, 'line'), line, {
    Status: 'Unmatched',
    MatchedAmount: null,
    MatchRule: null,
    Tenant: null,
    Matches: none as unknown as Json,
  })
}

async function tenantOf({ load }: MatchWork, { company }: Caller, part: MatchedPart): Promise<string | null> {
  const { fields } = await load(company, part.Payment)
  return (fields['Tenant'] ?? null) as string | null
}

function mustBeOpen({ key, fields }: Line): void {
  const { Status = 'Unmatched' } = fields
  if (Status === 'Unmatched' || Status === 'Proposed') return
  throw new Conflict(`${key} is ${Status as string}: unmatch it first.`)
}

async function returnedPart(work: MatchWork, { company }: Caller, key: string): Promise<MatchedPart> {
  const { fields } = await work.load(company, key)
  const Invoice = (fields['Invoice'] ?? null) as string | null
  const Amount = moneyIn(fields, 'Amount')!.Amount
  return { Kind: 'returned', Payment: key, Invoice, Amount, Before: {}, Of: null, InvoiceStatus: null }
}

interface Placed {
  readonly At: number
  readonly round: number
  readonly place: number
}

/** @throws Invalid for what the line cannot be for; Conflict for what is settled by now */
async function partOf(
  work: MatchWork,
  { company }: Caller,
  line: Line,
  { item, amount }: MatchPart,
  { At, round, place }: Placed,
): Promise<MatchedPart> {
  const { status, fields } = await work.load(company, item)
  const object = item.slice(0, item.indexOf('-'))
  const isPayment = object === PAYMENT
  if (status !== 'live' || !(isPayment || object === INVOICE))
    throw new Invalid('What the line is to be for is not there.', [
      { Field: `Payments[${place}]`, Message: `there is no payment or invoice ${item.slice(0, 100)}` },
    ])
  const open = isPayment ? moneyIn(fields, 'Amount') : openOf(fields)
  const states = isPayment ? OPEN_PAYMENTS : OPEN_INVOICES
  if (!open || !states.includes(fields['Status'] as string))
    throw new Conflict(`${item} is ${fields['Status'] as string}: nothing is open of it.`)
  const faults = amountFaults(line.fields, amount, open, place)
  if (faults.length > 0) throw new Invalid('The amounts do not fit.', faults)
  const isWhole = isPayment && isEqual(amount, decimalOf(open.Amount))
  const invoice = isPayment ? ((fields['Invoice'] ?? null) as string | null) : item
  const invoiceFields = invoice === null ? {} : (await work.load(company, invoice)).fields
  const InvoiceStatus = (invoiceFields['Status'] ?? null) as string | null
  const Amount = Number(amount)
  if (isWhole)
    return {
      Kind: 'received',
      Payment: item,
      Invoice: invoice,
      Amount,
      Before: { Status: fields['Status']!, ReceivedAt: fields['ReceivedAt'] ?? null },
      Of: null,
      InvoiceStatus,
    }
  const command = derivedId(`match/${line.key}/${round}/do/${place}/payment`)
  return {
    Kind: 'made',
    Payment: derivedKey(PAYMENT, command, At),
    Invoice: invoice,
    Amount,
    Before: newPayment(line, fields, invoice, { Amount, Currency: open.Currency }),
    Of: isPayment ? item : null,
    InvoiceStatus,
  }
}

const newPayment = ({ fields }: Line, of: Fields, Invoice: string | null, Amount: Json): Fields => ({
  ...(of['Tenant'] && { Tenant: of['Tenant'] }),
  ...(of['Contract'] && { Contract: of['Contract'] }),
  ...(Invoice && { Invoice }),
  Amount,
  Method: fields['TransactionType'] === 'DirectDebit' ? 'DirectDebit' : 'BankTransfer',
  ...(typeof fields['RemittanceInformation'] === 'string' && {
    Reference: [...fields['RemittanceInformation']].slice(0, 200).join(''),
  }),
})

async function mustNotHaveMovedOn(
  { load }: MatchWork,
  { company }: Caller,
  part: MatchedPart,
): Promise<void> {
  const wanted = part.Kind === 'returned' ? 'Failed' : 'Received'
  const payment = await load(company, part.Payment)
  if (payment.status !== 'live' || payment.fields['Status'] !== wanted)
    throw new Conflict(`${part.Payment} is not ${wanted} any more: it has moved on since it was matched.`)
  if (part.Invoice === null) return
  const invoice = await load(company, part.Invoice)
  const Status = invoice.fields['Status'] as string
  if (invoice.status !== 'live' || ![...OPEN_INVOICES, 'Paid'].includes(Status))
    throw new Conflict(`${part.Invoice} is ${Status} by now: it has moved on since the line was matched.`)
}
