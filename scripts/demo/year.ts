/**
 * What happens to the company in a year: rents go up, contracts are approved, end, are deleted by mistake; rent is
 * paid, taps are mended, a tenant gets another name. Every change says why.
 */
import { JOBS } from './names.ts'
import {
  buildingOfUnit,
  leaseOf,
  monthsAfter,
  type Body,
  type Company,
  type Keys,
  type Lease,
  type Money,
} from './company.ts'
import { randomOf } from './random.ts'

/** One record to change. */
export interface Change {
  readonly object: string
  readonly key: string
  readonly body: Body
  readonly reason: string
}

export interface Let extends Lease {
  /** Key and number of its contract. */
  readonly key: string
  readonly i: number
}

/** Consumer prices of the year before, in per cent. */
const INFLATION: Readonly<Record<string, number>> = {
  EUR: 2.4,
  CHF: 0.7,
  GBP: 3.1,
  PLN: 4.3,
  SEK: 1.9,
  DKK: 1.6,
  CZK: 2.8,
  ISK: 5.2,
}
const WITHOUT_DECIMALS = new Set(['ISK'])

/** The company's contracts with their Keys. */
export function letsOf(company: Company, keys: readonly string[]): Let[] {
  return keys.map((key, i) => ({ ...leaseOf(company, i), key, i }))
}

const withStatus = (lets: readonly Let[], ...statuses: string[]) =>
  lets.filter(({ status }) => statuses.includes(status))

/** Most drafts are handed in for approval. */
export function submissions(lets: readonly Let[]): Change[] {
  return withStatus(lets, 'Draft')
    .filter(({ i }) => i % 3 !== 0)
    .map(({ key }) => ({
      object: 'contract',
      key,
      body: { Status: 'PendingApproval' },
      reason: 'Signed by the tenant; sent to the owner for approval',
    }))
}

/** What was handed in is approved, or not. */
export function decisions(lets: readonly Let[], submitted: readonly Change[]): Change[] {
  const waiting = [
    ...withStatus(lets, 'PendingApproval').map(({ key }) => key),
    ...submitted.map(({ key }) => key),
  ]
  return waiting.map((key, i) => {
    const approved = i % 6 !== 5
    return {
      object: 'contract',
      key,
      body: { Status: approved ? 'Active' : 'Rejected' },
      reason: approved ? 'Owner agreed by telephone, Mme Lefèvre' : 'Rejected: "deposit not received"',
    }
  })
}

/** Rents of running contracts follow prices on 1 January. */
export function indexations({ today }: Company, lets: readonly Let[]): Change[] {
  return withStatus(lets, 'Active').map(({ key, rent }) => {
    const rate = INFLATION[rent.Currency] ?? 2
    return {
      object: 'contract',
      key,
      body: { MonthlyRent: raised(rent, rate) },
      reason: `Indexation of 1 January ${today.slice(0, 4)}: consumer prices +${rate} %`,
    }
  })
}

function raised({ Amount, Currency }: Money, rate: number): Money {
  const unit = WITHOUT_DECIMALS.has(Currency) ? 1 : 100
  return { Amount: Math.round(Amount * (1 + rate / 100) * unit) / unit, Currency }
}

/** Some tenants leave before their contract ends. */
export function terminations({ today }: Company, lets: readonly Let[]): Change[] {
  const lastDay = monthsAfter(today, 1, 0)
  return withStatus(lets, 'Active')
    .filter(({ i, start }) => i % 12 === 7 && start < today)
    .map(({ key, i }) => ({
      object: 'contract',
      key,
      body: { Status: 'Terminated', EndDate: lastDay, Notes: 'Keys returned, meter readings taken.' },
      reason: randomOf(`why ${i}`).pick([
        `Letter of ${monthsAfter(today, -2, 15)}: moves to another city`,
        'Ended by agreement; tenant bought a house ("finally!")',
        'Moves to a larger unit in the same building',
      ]),
    }))
}

/** Three months of rent for every running contract; the last month's is still under way. */
export function payments(company: Company, lets: readonly Let[], tenants: readonly string[]): Body[] {
  const { today } = company
  return withStatus(lets, 'Active').flatMap(({ key, i, rent, tenant }) =>
    [-3, -2, -1].map((month) => ({
      Tenant: tenants[tenant],
      Contract: key,
      Amount: rent,
      PaymentType: 'Rent',
      Method: i % 5 === 0 ? 'Card' : 'DirectDebit',
      DueDate: monthsAfter(today, month),
      ...(month < -1
        ? { Status: 'Received', ReceivedAt: `${monthsAfter(today, month, 1 + (i % 5))}T08:15:00Z` }
        : { Status: 'Pending' }),
      Reference: `Rent ${monthsAfter(today, month).slice(0, 7)}`,
      GatewayReference: `demo-${company.number}-${today}-${i}-${-month}`,
    })),
  )
}

/** Of the payments under way, given by Key, most arrive and some fail. */
export function settlements({ today }: Company, pending: readonly string[]): Change[] {
  return pending.map((key, i) => ({
    object: 'payment',
    key,
    ...(i % 15 === 14
      ? {
          body: { Status: 'Failed', FailureReason: 'Account closed (AC04)' },
          reason: 'Returned by the bank; reminder sent',
        }
      : {
          body: { Status: 'Received', ReceivedAt: `${monthsAfter(today, -1, 2 + (i % 5))}T06:30:00Z` },
          reason: 'Found in the bank statement',
        }),
  }))
}

export function workOrders(company: Company, keys: Keys): Body[] {
  const wanted = Math.max(6, Math.round(company.units * 0.6))
  return Array.from({ length: wanted }, (_, i) => {
    const random = randomOf(`work order ${i}`)
    const [title, category] = random.pick(JOBS)
    const unit = random.between(0, company.units - 1)
    return {
      Title: title,
      Building: keys.building[buildingOfUnit(company, unit)],
      Unit: keys.unit[unit],
      Category: category,
      Priority: random.pick(['Low', 'Normal', 'Normal', 'High', 'Urgent']),
      WorkType: category === 'Inspection' ? 'Inspection' : 'Corrective',
      DueDate: monthsAfter(company.today, -random.between(0, 11), 20),
    }
  })
}

export function assignments(orders: readonly string[]): Change[] {
  const firms = ["O'Malley & Sons", 'Loodgietersbedrijf "De Kraan"', 'Élec Lefèvre', 'Müller Aufzüge GmbH']
  return orders
    .filter((_, i) => i % 4 !== 3)
    .map((key, i) => {
      const Contractor = firms[i % firms.length]!
      return {
        object: 'workorder',
        key,
        body: { Contractor, Status: 'Assigned' },
        reason: `Call to ${Contractor}`,
      }
    })
}

/** Most of what was given to someone is done. `place` is the order's place among all of them. */
export function completions(
  { today }: Company,
  assigned: readonly Change[],
  place: (key: string) => number,
): Change[] {
  return assigned
    .filter((_, i) => i % 5 !== 4)
    .map(({ key }) => {
      // The order's own stream: its first pick is the job that the order was made of.
      const random = randomOf(`work order ${place(key)}`)
      const [, , Resolution] = random.pick(JOBS)
      const hours = random.between(1, 16) / 2
      return {
        object: 'workorder',
        key,
        body: {
          Status: 'Completed',
          CompletedAt: `${monthsAfter(today, -1, random.between(1, 28))}T15:00:00Z`,
          ActualHours: hours,
          ActualCost: { Amount: 45 + hours * 62.5, Currency: 'EUR' },
          Resolution,
        },
        reason: 'Report of the contractor',
      }
    })
}

/** Contracts that were never used are deleted; some of them turn out to be needed. */
export function deletions(lets: readonly Let[]): { readonly deleted: string[]; readonly restored: string[] } {
  const deleted = withStatus(lets, 'Cancelled')
    .filter((_, i) => i % 3 === 0)
    .map(({ key }) => key)
  return { deleted, restored: deleted.filter((_, i) => i % 4 === 1) }
}

/** Two tenants, those with the most running contracts, get another name. */
export function renames(lets: readonly Let[], tenants: readonly string[]): Change[] {
  const contracts = new Map<number, number>()
  for (const { tenant } of withStatus(lets, 'Active')) contracts.set(tenant, (contracts.get(tenant) ?? 0) + 1)
  const [first, second] = [...contracts]
    .sort(([a, m], [b, n]) => n - m || a - b)
    .map(([tenant]) => tenants[tenant]!)
  return [
    {
      object: 'tenant',
      key: first!,
      body: { Name: RENAMED, TenantType: 'Company' },
      reason: 'Now a private limited company; extract from the register received',
    },
    {
      object: 'tenant',
      key: second ?? first!,
      body: { Name: second ? "Zoë D'Hondt-Łukasiewicz" : RENAMED },
      reason: 'Married; "please use my new name"',
    },
  ]
}

const RENAMED = 'Bakkerij "De Gouden Krakeling" B.V.'
