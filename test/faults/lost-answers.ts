/**
 * The answer is lost, the client does not know, and sends the request again with the same `Idempotency-Key`.
 *
 * The connection is broken as soon as the request is sent, so that the service finds out at any moment: before it has
 * read it, while it waits for the disk, or after it has answered.
 */
import { isDeepStrictEqual } from 'node:util'
import { httpClient, type HttpAnswer, type HttpClient, type HttpRequest } from './ledger/http-client.ts'
import { isAcknowledged, requestOf, type Entry, type Intent, type Ledger } from './ledger/ledger.ts'
import type { Random } from '../support/random.ts'

export interface LostAnswers {
  readonly service: { readonly url: string; readonly token: string }
  readonly ledger: Ledger
  readonly random: Random
  readonly count: number
}

export interface LostAnswersReport {
  readonly faults: readonly string[]
  /** Requests that were done before they were sent again. */
  readonly doneBefore: number
}

const CLIENTS = 8
const LONGEST_PATIENCE_MS = 6
/** In this part of the requests the second one does not wait for the first to be broken off. */
const OVERLAPPING = 0.2

export async function lostAnswers({
  service,
  ledger,
  random,
  count,
}: LostAnswers): Promise<LostAnswersReport> {
  const http = httpClient(service)
  const faults: string[] = []
  let doneBefore = 0
  let left = count

  /** Creates and changes in turn: a change is of the version that the client knows, which is gone when it is done. */
  const client = async () => {
    let own: { key: string; version: number } | undefined
    while (left-- > 0) {
      const target = own && random.chance(0.3) ? own : undefined
      const entry = ledger.sending((id) => intentOf(id, target?.key, random), {
        idempotencyKey: `lost-${ledger.entries.length + 1}`,
        ...(target && { expectedVersion: target.version }),
      })
      const [second, third] = await sendUnheard(http, requestOf(entry), random)
      ledger.received(entry, second)
      faults.push(...repeatFaults(entry, second, third))
      if (second?.headers['idempotency-replayed'] === 'true') doneBefore++
      if (isAcknowledged(entry)) own = { key: keyOf(entry), version: entry.answer!.version! }
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  http.close()
  return { faults, doneBefore }
}

/** Sends every request of the ledger once more; what was answered, in order. */
export async function repeatAll(service: LostAnswers['service'], { entries }: Ledger): Promise<unknown[]> {
  const http = httpClient(service)
  const answers = await Promise.all(entries.map((entry) => http.send(requestOf(entry))))
  http.close()
  return answers.map((answer) => (JSON.parse(answer?.text ?? '{}') as { Data?: unknown }).Data)
}

const keyOf = ({ answer }: Entry) => (answer!.data as { Id: string }).Id

function intentOf(id: string, key: string | undefined, random: Random): Intent {
  const MonthlyRent = { Amount: random.between(1, 9_999), Currency: 'EUR' }
  if (key !== undefined) return { kind: 'patch', key, fields: { Notes: id, MonthlyRent } }
  return { kind: 'create', object: 'contract', fields: { Notes: id, MonthlyRent, StartDate: '2999-01-01' } }
}

/** Once without hearing the answer, then twice more. */
async function sendUnheard(http: HttpClient, request: HttpRequest, random: Random) {
  const unheard = http.sendAndHangUp(request, random.between(0, LONGEST_PATIENCE_MS))
  if (!random.chance(OVERLAPPING)) await unheard
  const second = await http.send(request)
  await unheard
  return [second, await http.send(request)] as const
}

function repeatFaults(
  { id }: Entry,
  second: HttpAnswer | undefined,
  third: HttpAnswer | undefined,
): string[] {
  if (!second || !third) return [`${id} was sent again and not answered`]
  if (second.status >= 300) return [`${id} was sent again and refused: ${second.status} ${second.text}`]
  const faults: string[] = []
  if (third.headers['idempotency-replayed'] !== 'true') faults.push(`${id} was run anew the third time`)
  if (!isDeepStrictEqual(told(second), told(third)))
    faults.push(`${id} was answered differently: ${second.text} and ${third.text}`)
  return faults
}

/** What an answer says of the write; the rest is about the connection. */
function told({ status, headers, text }: HttpAnswer): unknown {
  const { etag, location, 'daybook-position': position } = headers
  return { status, etag, location, position, text }
}
