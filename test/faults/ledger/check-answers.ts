/** The running service against what its records must be: what it serves is what the ledger says, and no more. */
import { setTimeout as delay } from 'node:timers/promises'
import { recordFaults } from './check-ledger.ts'
import type { ExpectedRecord } from './expected.ts'
import { httpClient, type HttpClient } from './http-client.ts'
import { objectOf, pathOf, type Values } from './ledger.ts'

export interface AnswersCheck {
  readonly service: { readonly url: string; readonly token: string }
  readonly records: ReadonlyMap<string, ExpectedRecord>
  /** The records to ask for; all of them when missing. */
  readonly keys?: Iterable<string>
}

const CONNECTIONS = 8
/** New names reach the records that show them in the background: all of them within this time. */
const LONGEST_SETTLING_MS = 10_000

export async function checkAnswers({ service, records, keys }: AnswersCheck): Promise<string[]> {
  const http = httpClient(service)
  try {
    const faults = [...(await totalFaults(http, records))]
    const deadline = performance.now() + LONGEST_SETTLING_MS
    const left = [...(keys ?? records.keys())].filter((key) => records.has(key))
    const worker = async () => {
      for (let key = left.pop(); key !== undefined; key = left.pop())
        faults.push(...(await servedFaults({ http, records, deadline }, records.get(key)!)))
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, worker))
    return faults
  } finally {
    http.close()
  }
}

/** Counted by lists, one object after the other. */
async function totalFaults(
  http: HttpClient,
  records: ReadonlyMap<string, ExpectedRecord>,
): Promise<string[]> {
  const faults: string[] = []
  for (const object of ['contract', 'tenant']) {
    const live = [...records.values()].filter(({ key, deleted }) => !deleted && objectOf(key) === object)
    const answer = await http.send({ method: 'GET', path: `/api/v1/${object}?pageSize=1` })
    const { Pagination } = JSON.parse(answer?.text ?? '{}') as { Pagination?: { TotalRecords: number } }
    if (Pagination?.TotalRecords !== live.length)
      faults.push(`the list of ${object} counts ${Pagination?.TotalRecords}, not ${live.length}`)
  }
  return faults
}

interface Serving {
  readonly http: HttpClient
  readonly records: ReadonlyMap<string, ExpectedRecord>
  readonly deadline: number
}

async function servedFaults(
  { http, records, deadline }: Serving,
  expected: ExpectedRecord,
): Promise<string[]> {
  const { key, version, deleted } = expected
  for (;;) {
    const answer = await http.send({ method: 'GET', path: `/api/v1/${pathOf(key)}` })
    if (!answer) return [`${key} could not be read`]
    if (deleted) return answer.status === 404 ? [] : [`${key} is deleted, but GET answers ${answer.status}`]
    if (answer.status !== 200) return [`GET of ${key} answers ${answer.status}`]
    if (answer.headers.etag !== `"${version}"`)
      return [`${key} is served at version ${answer.headers.etag}, not ${version}`]
    const { Data } = JSON.parse(answer.text) as { Data: Values }
    const faults = recordFaults('served', Data, expected)
    const stale = faults.length === 0 ? staleName(records, Data) : undefined
    if (stale === undefined) return faults
    if (performance.now() > deadline) return [`${key} ${stale}`]
    await delay(50)
  }
}

/** A contract shows its tenant by the name that the tenant has now. */
function staleName(records: ReadonlyMap<string, ExpectedRecord>, served: Values): string | undefined {
  const tenant = served['Tenant'] as { Id: string; Name: string } | null | undefined
  const name = tenant && records.get(tenant.Id)?.fields['Name']
  return !tenant || tenant.Name === name
    ? undefined
    : `shows the name ${tenant.Name}, not ${JSON.stringify(name)}`
}
