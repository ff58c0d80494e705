/** Clients over HTTP, each doing one thing after the other, all writing into one ledger. */
import { setTimeout as delay } from 'node:timers/promises'
import { httpClient, type HttpClient } from './http-client.ts'
import { isOpen, pathOf, requestOf, type Entry, type Ledger } from './ledger.ts'
import { learn, nextWish, type Known } from './mix.ts'
import type { Random } from '../../support/random.ts'

export interface Load {
  /** Lets what is under way end, and nothing new begin. */
  stop(): Promise<void>
  /** What clients saw that must never be: reads older than what was acknowledged. */
  readonly faults: readonly string[]
}

export interface LoadOptions {
  readonly service: { readonly url: string; readonly token: string }
  readonly ledger: Ledger
  readonly known: Known
  readonly random: Random
  readonly clients: number
  /** The longest that a client waits between two requests, in ms. */
  readonly thinkMs?: number
}

/** A write in this many is followed by a read of what it wrote. */
const READ_BACK = 8
/** How long a client waits when the service cannot, before it asks for the next thing. */
const REFUSED_MS = 50

export function startLoad({ service, ledger, known, random, clients, thinkMs = 8 }: LoadOptions): Load {
  const http = httpClient(service)
  const faults: string[] = []
  let stopped = false

  const client = async (number: number) => {
    for (let turn = number; !stopped; turn++) {
      const { intentOf, idempotent, expectedVersion } = nextWish(random, known)
      const entry = ledger.sending(intentOf, {
        ...(idempotent && { idempotencyKey: `key-${ledger.entries.length + 1}` }),
        ...(expectedVersion !== undefined && { expectedVersion }),
      })
      await perform({ http, ledger, known }, entry)
      if (turn % READ_BACK === 0) faults.push(...(await readBack(http, entry)))
      await delay(isOpen(entry) ? REFUSED_MS : random.next() * thinkMs)
    }
  }
  const done = Promise.all(Array.from({ length: clients }, (_, number) => client(number)))
  return {
    faults,
    async stop() {
      stopped = true
      await done
      http.close()
    },
  }
}

interface Performing {
  readonly http: HttpClient
  readonly ledger: Ledger
  readonly known: Known
}

async function perform({ http, ledger, known }: Performing, entry: Entry): Promise<void> {
  ledger.received(entry, await http.send(requestOf(entry)))
  learn(known, entry)
}

/** Sends again what may be sent again: requests with an `Idempotency-Key` that have no answer yet. */
export async function retryOpen({
  service,
  ledger,
  known,
}: Pick<LoadOptions, 'service' | 'ledger' | 'known'>): Promise<void> {
  const http = httpClient(service)
  const open = ledger.entries.filter((entry) => entry.idempotencyKey !== undefined && isOpen(entry))
  const client = async () => {
    for (let entry = open.shift(); entry; entry = open.shift()) await perform({ http, ledger, known }, entry)
  }
  await Promise.all(Array.from({ length: 16 }, client))
  http.close()
}

/** A write is visible to the next read, unless its answer says otherwise. */
async function readBack(http: HttpClient, { id, answer }: Entry): Promise<string[]> {
  if (!answer || answer.status >= 300 || answer.readLag || answer.version === undefined) return []
  const key = (answer.data as { Id: string }).Id
  const read = await http.send({ method: 'GET', path: `/api/v1/${pathOf(key)}` })
  if (read?.status !== 200) return [] // no answer, or deleted by others since
  const version = Number(read.headers.etag?.replaceAll('"', ''))
  if (version >= answer.version) return []
  return [`${id}: ${key} was read at version ${version} after ${answer.version} was acknowledged`]
}

/** The value of a token that may do everything, and is someone else than the service's own. */
export async function newToken(service: LoadOptions['service']): Promise<string> {
  const http = httpClient(service)
  const body = { Name: 'approver', Roles: ['system_admin'] }
  const answer = await http.send({ method: 'POST', path: '/api/v1/identity/tokens', body })
  http.close()
  if (answer?.status !== 201) throw new Error(`no token was made: ${answer?.status} ${answer?.text}`)
  return (JSON.parse(answer.text) as { Data: { Token: string } }).Data.Token
}
