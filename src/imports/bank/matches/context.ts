/** What is known beside the lines when they are matched: what is owed, whose accounts are known, what was received before. */
import { z } from 'zod'
import type { Company } from '../../../domain/events/event.ts'
import type { Fields } from '../../../domain/json.ts'
import { BANK_LINE } from '../bank-file.ts'
import type { AccountRule, MatchContext } from '../matching.ts'
import { openItems } from '../open-items.ts'
import { keyIn, recordsOf, type Reading } from '../run/company-records.ts'
import type { BankLine } from '../statement.ts'
import { openDebts } from './debts.ts'
import { decimalOf } from './line-of.ts'
import { matchesOf } from './matched.ts'
import type { MatchWork } from './steps.ts'

const ASKED_AT_ONCE = 100
const rules = z.array(z.object({ Contains: z.string().min(1), As: z.enum(['Fee', 'Interest', 'Ignore']) }))

/** @param account fields of the bank account */
export async function matchContext(
  reading: Pick<MatchWork, 'readModels' | 'definitions' | 'pace'>,
  company: Company,
  account: Fields,
  lines: readonly BankLine[],
): Promise<MatchContext> {
  const items = openItems()
  const turn = reading.pace()
  for await (const item of openDebts(reading, company)) {
    items.add(item)
    await turn()
  }
  const tenants = await knownAccounts(reading, company, lines)
  const received = await receivedBefore(reading, company, lines)
  return {
    items,
    tenantsWithAccount: (number) => [...(tenants.get(plain(number)) ?? [])],
    receivedWith: (id) => received.get(id) ?? [],
    partialIsAutomatic: account['MatchPartly'] === true,
    accountIsAutomatic: account['MatchByAccount'] === true,
    rules: rulesOf(account),
  }
}

/** Rules that cannot be read are left out: what they are about stays unmatched. */
function rulesOf(account: Fields): readonly AccountRule[] {
  const read = rules.safeParse(account['MatchRules'])
  return read.success ? read.data.map(({ Contains, As }) => ({ contains: Contains, as: As })) : []
}

const plain = (number: string) => number.replaceAll(/[^A-Za-z0-9]/g, '').toUpperCase()

/** Tenants by the accounts that they pay from: from their records, and from matches of one tenant alone. */
async function knownAccounts(
  reading: Pick<Reading, 'readModels' | 'definitions'>,
  company: Company,
  lines: readonly BankLine[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const known = new Map<string, Set<string>>()
  const add = (number: string, tenant: string) =>
    known.set(plain(number), (known.get(plain(number)) ?? new Set()).add(tenant))
  for await (const { key, fields } of recordsOf(reading, company, 'tenant', 'Iban ne null'))
    add(fields['Iban'] as string, key)
  const learned = new Map<string, Set<string>>()
  const asked = new Set(lines.flatMap(({ counterpartyAccount: number }) => number ?? []))
  for (const some of inParts([...asked].filter((number) => !known.has(plain(number)))))
    for await (const { fields } of recordsOf(
      reading,
      company,
      BANK_LINE,
      `Status eq 'Matched' and Tenant ne null and CounterpartyIban in (${some.map(quoted).join(', ')})`,
    )) {
      const number = fields['CounterpartyIban'] as string
      learned.set(number, (learned.get(number) ?? new Set()).add(keyIn(fields, 'Tenant')!))
    }
  // An account that pays for several tenants is evidence for none of them.
  for (const [number, of] of learned) if (of.size === 1) add(number, [...of][0]!)
  return known
}

type Received = { readonly payment: string; readonly amount: string }

/** Payments by the references of the payer that lines which are returned now came in with. */
async function receivedBefore(
  reading: Pick<Reading, 'readModels' | 'definitions'>,
  company: Company,
  lines: readonly BankLine[],
): Promise<ReadonlyMap<string, readonly Received[]>> {
  const found = new Map<string, Received[]>()
  const asked = new Set(lines.flatMap(({ isReversal, endToEndId }) => (isReversal && endToEndId) || []))
  for (const some of inParts([...asked]))
    for await (const { fields } of recordsOf(
      reading,
      company,
      BANK_LINE,
      `Status eq 'Matched' and EndToEndId in (${some.map(quoted).join(', ')})`,
    )) {
      const id = fields['EndToEndId'] as string
      for (const { Kind, Payment, Amount } of matchesOf(fields).Parts)
        if (Kind !== 'returned')
          found.set(id, [...(found.get(id) ?? []), { payment: Payment, amount: decimalOf(Amount) }])
    }
  return found
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

function* inParts(all: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < all.length; at += ASKED_AT_ONCE) yield all.slice(at, at + ASKED_AT_ONCE)
}
