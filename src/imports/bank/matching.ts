/**
 * What a line of a statement may be for. Pure: lines and open items in, one match that is certain or proposals out.
 *
 * Evidence is looked at in ranks, the strongest first; the first rank with a candidate decides. A match is automatic only
 * when its rank allows it and has exactly one candidate: a wrong match costs more than none.
 */
import { compare, isEqual, isNegative, sum, type Decimal } from '../decimal.ts'
import type { OpenItem, OpenItems } from './open-items.ts'
import { isStructuredReference, plainReference } from './references.ts'
import type { BankLine } from './statement.ts'

export interface MatchPart {
  readonly item: string
  readonly amount: Decimal
}

export type MatchRule =
  'returned' | 'reference' | 'own-reference' | 'number' | 'account' | 'several' | 'name' | 'account-rule'

export interface Match {
  readonly rule: MatchRule
  readonly parts: readonly MatchPart[]
  /** Less than is open: the invoice is partly paid. */
  readonly partial?: boolean
  /** Of `returned`: the payment that fails. */
  readonly payment?: string
  /** Of `account-rule`: what the line is. */
  readonly as?: AccountRule['as']
}

/** Exactly one of the two has anything in it. */
export interface MatchDecision {
  readonly automatic?: Match
  readonly proposals: readonly Match[]
}

export interface AccountRule {
  readonly contains: string
  readonly as: 'Fee' | 'Interest' | 'Ignore'
}

export interface MatchContext {
  readonly items: OpenItems
  /** Tenants that are known to pay from this account: their own, and those learned from matches that people confirmed. */
  tenantsWithAccount(account: string): readonly string[]
  /** Payments that came in by an earlier line with this reference of ours. */
  receivedWith(endToEndId: string): readonly { readonly payment: string; readonly amount: Decimal }[]
  /** What the owner of the bank account allows, and what texts mean there. */
  readonly partialIsAutomatic: boolean
  readonly accountIsAutomatic: boolean
  readonly rules: readonly AccountRule[]
}

/** More do not help the person who chooses. */
const MOST_PROPOSALS = 50

type Ranked = { readonly matches: readonly Match[]; readonly automatic: (match: Match) => boolean }

/** What the line is for. The same line and context give the same answer, in any order of items. */
export function candidates(line: BankLine, context: MatchContext): MatchDecision {
  for (const rank of RANKS) {
    const { matches, automatic } = rank(line, context)
    if (matches.length === 0) continue
    const [only] = matches
    if (matches.length === 1 && automatic(only!)) return { automatic: only!, proposals: [] }
    return { proposals: [...matches].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).slice(0, MOST_PROPOSALS) }
  }
  return { proposals: [] }
}

const keyOf = ({ parts, payment }: Match): string => parts.map(({ item }) => item).join() + (payment ?? '')
const never = () => false
const always = () => true

const RANKS: readonly ((line: BankLine, context: MatchContext) => Ranked)[] = [
  returned,
  byReference,
  byOwnReference,
  byNumber,
  byAccount,
  bySeveral,
  byName,
  byAccountRule,
]

function returned(line: BankLine, { receivedWith }: MatchContext): Ranked {
  const received = line.isReversal && line.endToEndId ? receivedWith(line.endToEndId) : []
  const same = received.filter(({ amount }) => isEqual(sum([amount, line.amount]), '0'))
  return {
    matches: same.map(({ payment }) => ({ rule: 'returned', parts: [], payment })),
    automatic: always,
  }
}

function byReference(line: BankLine, { items, partialIsAutomatic }: MatchContext): Ranked {
  const references = [line.structuredReference ?? '', ...referencesIn(line.text)].map(plainReference)
  const found = new Set(references.filter(isStructuredReference).flatMap((one) => items.withReference(one)))
  const matches = [...found].flatMap((item) => matchOf('reference', line, item))
  return {
    matches,
    automatic: ({ partial, parts }) => isWhole(parts, line.amount) && (!partial || partialIsAutomatic),
  }
}

const MOST_REFERENCES = 20
const LONGEST_RF = 25

/** What may be a reference, as payers type them: in groups, between marks, with words after them. */
function referencesIn(text: string): readonly string[] {
  const numbers = text.match(/\+{3}[\d/ ]{12,18}\+{3}|\b\d(?:[ /-]?\d){5,26}\b/g) ?? []
  const withRf = [...text.matchAll(/\bRF\d{2}/gi)].map(({ index }) =>
    plainReference(text.slice(index, index + 2 * LONGEST_RF)).slice(0, LONGEST_RF),
  )
  const beginnings = withRf
    .slice(0, MOST_REFERENCES)
    .flatMap((long) => Array.from({ length: long.length }, (_, i) => long.slice(0, i + 1)))
  return [...numbers.slice(0, MOST_REFERENCES), ...beginnings]
}

function byOwnReference(line: BankLine, { items }: MatchContext): Ranked {
  const found = line.endToEndId ? items.numberedIn(line.endToEndId) : []
  return equalOnly('own-reference', line, found, always)
}

/** A number with another amount is a proposal: the payer may have meant something else. */
function byNumber(line: BankLine, { items }: MatchContext): Ranked {
  const found = items.numberedIn(line.text)
  const matches = found.flatMap((item) => matchOf('number', line, item))
  return { matches, automatic: ({ partial, parts }) => !partial && isWhole(parts, line.amount) }
}

const EARLIEST = -10
const LATEST = 25

function byAccount(line: BankLine, context: MatchContext): Ranked {
  const due = ofPayer(line, context).filter(({ dueDate }) => {
    if (!dueDate) return false
    const days = (Date.parse(line.bookingDate) - Date.parse(dueDate)) / 86_400_000
    return days >= EARLIEST && days <= LATEST
  })
  return equalOnly('account', line, due, () => context.accountIsAutomatic)
}

const MOST_PARTS = 8

/** The oldest items of the payer, as many as make the amount. */
function bySeveral(line: BankLine, context: MatchContext): Ranked {
  const matches = context
    .tenantsWithAccount(line.counterpartyAccount ?? '')
    .flatMap((tenant): readonly Match[] => {
      const oldest = context.items
        .ofTenant(tenant)
        .filter((item) => isFor(line, item))
        .sort((a, b) => ((a.dueDate ?? '9') + a.key < (b.dueDate ?? '9') + b.key ? -1 : 1))
        .slice(0, MOST_PARTS)
      for (let count = 2; count <= oldest.length; count++) {
        const parts = oldest.slice(0, count).map(({ key, amount }) => ({ item: key, amount }))
        if (isWhole(parts, line.amount)) return [{ rule: 'several', parts }]
      }
      return []
    })
  return { matches, automatic: never }
}

function byName(line: BankLine, { items }: MatchContext): Ranked {
  return equalOnly('name', line, items.alike(line.amount, line.currency, line.counterpartyName ?? ''), never)
}

function byAccountRule(line: BankLine, { rules }: MatchContext): Ranked {
  const text = `${line.text} ${line.counterpartyName ?? ''}`.toLowerCase()
  const first = rules.find(({ contains }) => text.includes(contains.toLowerCase()))
  return {
    matches: first ? [{ rule: 'account-rule', parts: [], as: first.as }] : [],
    automatic: always,
  }
}

const ofPayer = (line: BankLine, { items, tenantsWithAccount }: MatchContext): readonly OpenItem[] =>
  line.counterpartyAccount
    ? tenantsWithAccount(line.counterpartyAccount).flatMap((one) => items.ofTenant(one))
    : []

/** Whether money of this currency and direction can be for the item. */
const isFor = (line: BankLine, item: OpenItem): boolean =>
  item.currency === line.currency && isNegative(item.amount) === isNegative(line.amount)

const isWhole = (parts: readonly MatchPart[], amount: Decimal): boolean =>
  isEqual(sum(parts.map((part) => part.amount)), amount)

/** All of the line for the item; of an item that is smaller no more than it has open, which is then a proposal. */
function matchOf(rule: MatchRule, line: BankLine, item: OpenItem): readonly Match[] {
  if (!isFor(line, item)) return []
  const order = compare(line.amount, item.amount) * (isNegative(line.amount) ? -1 : 1)
  const part = { item: item.key, amount: order > 0 ? item.amount : line.amount }
  return [{ rule, parts: [part], ...(order < 0 && { partial: true }) }]
}

function equalOnly(
  rule: MatchRule,
  line: BankLine,
  items: readonly OpenItem[],
  automatic: Ranked['automatic'],
): Ranked {
  const equal = items.filter((item) => isFor(line, item) && isEqual(item.amount, line.amount))
  return { matches: equal.map(({ key, amount }) => ({ rule, parts: [{ item: key, amount }] })), automatic }
}
