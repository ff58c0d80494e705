/** Fills a service, through its own API, with a leasing company of the size that is asked for. */
import {
  buildingBody,
  companyOfSize,
  contractBody,
  monthsAfter,
  tenantBody,
  unitBody,
  type Body,
  type Company,
  type Keys,
} from '../scripts/demo/company.ts'
import { randomOf } from '../scripts/demo/random.ts'
import { access } from './requests.ts'

export interface Dataset {
  readonly company: Company
  readonly keys: Keys
  /** How many contracts there are, and the Keys of at most 20,000 of them, evenly spread and in no order. */
  readonly records: number
  readonly contracts: readonly string[]
  readonly tenants: readonly string[]
  /** The year in the contracts' numbers. */
  readonly year: number
  /** `Daybook-Position` of the last batches: who can read those can read everything. */
  readonly positions: readonly string[]
  /** Rows a second that the service took, and how long that was, in seconds. */
  readonly rowsPerSecond: number
}

/** Rows of one batch, and batches under way at a time. */
export const BATCH = 500
export const BATCHES = 4
const SAMPLE = 20_000

/** The day on which the dataset is the present: fixed, so that runs on different days compare. */
const TODAY = '2026-01-01'

/** @param batch rows of one request */
export async function fill(
  url: string,
  records: number,
  onProgress: (done: number) => void,
  batch = BATCH,
): Promise<Dataset> {
  const company = companyOfSize(records / 10_000, { number: 1, today: TODAY })
  const all = { url, batch, onProgress: () => {} }
  const building = (await inBatches(all, 'building', company.buildings, (i) => buildingBody(company, i))).keys
  const unit = (await inBatches(all, 'unit', company.units, (i) => unitBody(company, i, { building }))).keys
  const tenant = (await inBatches(all, 'tenant', company.tenants, (i) => tenantBody(company, i))).keys
  const keys = { building, unit, tenant }
  const start = performance.now()
  const filled = await inBatches({ url, batch, onProgress }, 'contract', records, (i) =>
    contractBody(company, i, keys),
  )
  return {
    company,
    keys,
    records,
    contracts: shuffled(filled.keys),
    tenants: tenant,
    year: new Date().getUTCFullYear(),
    positions: filled.positions,
    rowsPerSecond: (records / (performance.now() - start)) * 1_000,
  }
}

/** A contract to create beside those that are there: the next lease, from a month to come. */
export function newContract({ company, keys }: Dataset, i: number): Body {
  const thisMonth = `${new Date().toISOString().slice(0, 7)}-01`
  return {
    ...contractBody(company, i, keys),
    Status: 'Draft',
    StartDate: monthsAfter(thisMonth, 1 + (i % 12)),
  }
}

interface Filling {
  readonly url: string
  readonly batch: number
  readonly onProgress: (done: number) => void
}

async function inBatches(
  { url, batch, onProgress }: Filling,
  object: string,
  count: number,
  bodyOf: (i: number) => Body,
): Promise<{ keys: string[]; positions: string[] }> {
  const every = object === 'contract' ? Math.ceil(count / SAMPLE) : 1
  const keys: string[] = []
  let next = 0
  let done = 0
  const positions: string[] = []
  const work = async () => {
    while (next < count) {
      const first = next
      const length = Math.min(batch, count - first)
      next += length
      const answer = await postBatch(
        url,
        object,
        Array.from({ length }, (_, i) => bodyOf(first + i)),
      )
      answer.ids.forEach((id, i) => {
        if ((first + i) % every === 0) keys[(first + i) / every] = id
      })
      positions.push(answer.position)
      done += length
      onProgress(done)
    }
  }
  await Promise.all(Array.from({ length: BATCHES }, work))
  // Those of all that were under way together with the last one.
  return { keys, positions: positions.slice(-2 * BATCHES) }
}

async function postBatch(url: string, object: string, records: readonly Body[]) {
  const response = await fetch(`${url}/api/v1/${object}/batch`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${access.token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ Records: records, AllowPastDates: true }),
  })
  const text = await response.text()
  const fault = response.ok ? text.indexOf('"Error"') : 0
  if (fault >= 0)
    throw new Error(
      `a batch of ${object} was not taken: ${response.status} ${text.slice(fault, fault + 500)}`,
    )
  const { Data } = JSON.parse(text) as { Data: { Id: string }[] }
  return { ids: Data.map(({ Id }) => Id), position: response.headers.get('daybook-position')! }
}

function shuffled(items: readonly string[]): string[] {
  const random = randomOf('order of keys')
  const result = [...items]
  for (let i = result.length - 1; i > 0; i--) {
    const j = random.between(0, i)
    ;[result[i], result[j]] = [result[j]!, result[i]!]
  }
  return result
}
