/** Filters, sort keys and search words as users of a leasing company's data would ask for them. */
import { CITIES } from '../scripts/demo/cities.ts'
import { LAST_NAMES, REMARKS } from '../scripts/demo/names.ts'
import type { Random } from '../scripts/demo/random.ts'
import type { Dataset } from './dataset.ts'

/** `i` counts the filters of a kind: those that are never the same are made from it. */
type Ask = (data: Dataset, random: Random, i: number) => string

const STATUSES = ['Draft', 'PendingApproval', 'Active', 'Expired', 'Terminated', 'Cancelled']

const status: Ask = (_, random) => `Status eq '${random.pick(STATUSES)}'`
const rent: Ask = (_, random) => `MonthlyRent gt ${random.between(1, 200) * 50}`
const exactRent: Ask = (_, random, i) =>
  `MonthlyRent gt ${random.between(50, 10_000)}.${String(i).padStart(5, '0')}`

export const FILTERS = {
  status,
  tenant: (data, random) => `Tenant eq '${random.pick(data.tenants)}'`,
  rent,
  statusAndRent: (...asked) => `${status(...asked)} and ${rent(...asked)}`,
  exactRent,
  statusAndExactRent: (...asked) => `${status(...asked)} and ${exactRent(...asked)}`,
} as const satisfies Record<string, Ask>

export const SORTS = [
  'Tenant/Name,-StartDate',
  'Status,-MonthlyRent',
  'Building/Name,Unit/Number,-StartDate',
  '-MonthlyRent,Tenant/Name',
  'EndDate,ContractNumber',
  '-Building/Name,Status,EndDate',
]

/** The beginning of a word, as someone types it. */
const beginning = (word: string, random: Random) => word.slice(0, random.between(3, 6))
const wordIn = (text: string, random: Random) =>
  random.pick(text.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2))

export const SEARCHES: readonly ((data: Dataset, random: Random) => string)[] = [
  (_, random) => beginning(wordIn(random.pick(LAST_NAMES), random), random),
  (_, random) => wordIn(random.pick(random.pick(CITIES).buildings), random),
  (data, random) => `CON-${data.year}-${String(random.between(1, data.records)).padStart(4, '0')}`,
  (_, random) => {
    const name = beginning(wordIn(random.pick(LAST_NAMES), random), random)
    return `${name} ${beginning(wordIn(random.pick(random.pick(CITIES).buildings), random), random)}`
  },
  (_, random) => wordIn(random.pick(REMARKS), random),
]
