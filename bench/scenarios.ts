/**
 * What is measured: for every scenario, the list of requests that the connections work through.
 *
 * The lists are long and varied, so that no figure is that of one answer in a cache, and the same in every run, so that
 * runs compare. Scenarios that read leave the store as it is; those that write come after them.
 */
import { randomOf, type Random } from '../scripts/demo/random.ts'
import { newContract, type Dataset } from './dataset.ts'
import { FILTERS, SEARCHES, SORTS } from './queries.ts'
import { get, send } from './requests.ts'

export interface Scenario {
  readonly name: string
  readonly title: string
  /** Requests a second at 10,000 records and 32 connections that are aimed at. */
  readonly goal?: number
  /** The bound that the figure is compared with. */
  readonly bound: 'get' | 'create' | 'mixed'
  readonly writes: 'none' | 'some' | 'all'
  /** Measured only when it is asked for by name. */
  readonly onDemand: boolean
  /** Sent once each before anything is counted: of questions that are asked again and again, the first time is told apart. */
  readonly before?: (dataset: Dataset) => readonly string[]
  /** `run` differs for every measurement, so that a change is never one that was made before. */
  readonly requests: (dataset: Dataset, run: number) => readonly string[]
}

type Make = (data: Dataset, random: Random, run: number) => readonly string[]

const CONTRACTS = '/api/v1/contract'

const gets: Make = ({ contracts }) => contracts.map((key) => get(`${CONTRACTS}/${key}`))

/** At a million records the pages are those of the first 10,000: nobody leafs further, and sizes compare. */
const lastPage = ({ records }: Dataset) => Math.max(1, Math.floor(Math.min(records, 10_000) / 25))

/** Pages of the whole list, the first ones more often: half of the requests are for the first eighth. */
const lists =
  (more: Readonly<Record<string, string>> = {}): Make =>
  (data, random) =>
    times(4_000, () => get(CONTRACTS, { page: 1 + Math.floor(lastPage(data) * random.next() ** 3), ...more }))

const pagesAround200: Make = (data, random) =>
  times(1_000, () => get(CONTRACTS, { page: Math.min(lastPage(data), random.between(150, 250)) }))

const filters =
  (kinds: readonly (keyof typeof FILTERS)[], each: number): Make =>
  (data, random) =>
    times(each, (i) => kinds.map((kind) => get(CONTRACTS, { filter: FILTERS[kind](data, random, i) }))).flat()

const sorts: Make = (_, random) =>
  times(1_000, (i) => get(CONTRACTS, { sort: SORTS[i % SORTS.length]!, page: random.between(1, 20) }))

const searches: Make = (data, random) =>
  times(1_000, (i) => get(CONTRACTS, { search: SEARCHES[i % SEARCHES.length]!(data, random) }))

const creates: Make = (data, _, run) =>
  times(5_000, (i) => send('POST', CONTRACTS, newContract(data, run * 5_000 + i)))

/** Every record is changed twice, each time to something that it has not been. */
const patches: Make = ({ contracts }, random, run) =>
  [1, 2].flatMap((round) =>
    contracts.map((key, i) => {
      const rent = { MonthlyRent: { Amount: 1_000 + run * 10 + round + 1_000 * random.between(0, 5) } }
      const notes = { Notes: `Reviewed in run ${run}, round ${round}: "no changes" agreed at the café.` }
      return send('PATCH', `${CONTRACTS}/${key}`, i % 2 === 0 ? rent : notes)
    }),
  )

const ALL_FILTERS = ['status', 'tenant', 'rent', 'statusAndRent'] as const
const knownFilters = filters(ALL_FILTERS, 100)

/** Of 20 requests: 9 gets, 4 lists, 3 filters, 2 searches, a create and a patch. */
const MIX = [
  ...['get', 'list', 'get', 'filter', 'get', 'search', 'get', 'list', 'get', 'create'],
  ...['get', 'list', 'get', 'filter', 'get', 'search', 'get', 'list', 'filter', 'patch'],
] as const
const MIXED = 40_000

const mixed: Make = (data, random, run) => {
  const kinds: Record<(typeof MIX)[number], readonly string[]> = {
    get: gets(data, random, run),
    list: lists()(data, random, run),
    filter: knownFilters(data, randomOf('filter'), run),
    search: searches(data, randomOf('search'), run),
    create: creates(data, random, run),
    patch: patches(data, random, run),
  }
  const taken = { get: 0, list: 0, filter: 0, search: 0, create: 0, patch: 0 }
  return times(MIXED, (i) => {
    const kind = MIX[i % MIX.length]!
    // The second half changes the same records as the first, to something else, and so on when the list begins anew.
    if (i === MIXED / 2) taken.patch = kinds.patch.length / 2
    return kinds[kind][taken[kind]++ % kinds[kind].length]!
  })
}

export const SCENARIOS: readonly Scenario[] = [
  scenario('get', 'get by Key', gets, { goal: 20_000 }),
  scenario('list', 'list of 25 with total', lists(), { goal: 8_000 }),
  scenario('filter', 'filter with total, 400 filters in turn', knownFilters, {
    goal: 4_000,
    before: (data) => knownFilters(data, randomOf('filter'), 0),
  }),
  scenario(
    'filter-fresh',
    'filter with total, never the same',
    filters(['exactRent', 'statusAndExactRent'], 10_000),
  ),
  scenario('page-200', 'list, pages 150 to 250', pagesAround200, { goal: 6_000 }),
  scenario('sort', 'sort by several fields and lookup names', sorts),
  scenario('search', 'search, rotating words', searches, {
    goal: 3_000,
    before: (data) => searches(data, randomOf('search'), 0),
  }),
  scenario('expand', 'list with three expands', lists({ expand: 'Tenant,Building,Unit' }), {
    goal: 4_000,
  }),
  ...ALL_FILTERS.map((kind) =>
    scenario(`filter-${kind}`, `filter by ${kind} alone`, filters([kind], 400), { onDemand: true }),
  ),
  scenario('patch', 'patch, durable', patches, { goal: 6_000, bound: 'create', writes: 'all' }),
  scenario('mixed', '90 % reads, 10 % writes', mixed, {
    bound: 'mixed',
    writes: 'some',
    before: (data) => [
      ...knownFilters(data, randomOf('filter'), 0),
      ...searches(data, randomOf('search'), 0),
    ],
  }),
  scenario('create', 'create, durable', creates, { goal: 8_000, bound: 'create', writes: 'all' }),
]

function scenario(name: string, title: string, make: Make, more: Partial<Scenario> = {}): Scenario {
  return {
    name,
    title,
    bound: 'get',
    writes: 'none',
    onDemand: false,
    requests: (data, run) => make(data, randomOf(name), run),
    ...more,
  }
}

function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i))
}
