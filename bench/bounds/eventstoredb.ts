/**
 * The bound of what keeps its events in EventStoreDB: the server's own client, as its makers recommend it, with events of 1 KiB
 * and nothing else to do.
 *
 *     node bench/bounds/eventstoredb.ts <url> [seconds]
 *
 * Prints one line of JSON: appends a second with 32 and with one under way, events a second in appends of 50, and events a second
 * from a subscription to `$all`.
 */
import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, eventTypeFilter, jsonEvent, NO_STREAM, START } from '@eventstore/db-client'

export interface BareClient {
  readonly create32: number
  readonly create1: number
  readonly inFifties: number
  readonly fromAll: number
}

const [url, seconds = '3'] = process.argv.slice(2)
if (url === undefined)
  throw new Error('name the server: node bench/bounds/eventstoredb.ts esdb://127.0.0.1:2113?tls=false')
const client = EventStoreDBClient.connectionString(url)
const FIFTY = 50
let stored = 0
const filler = 'x'.repeat(1_000)

await appending(32, 1, 0.5)
const create32 = await appending(32, 1)
const create1 = await appending(1, 1)
const inFifties = (await appending(8, FIFTY)) * FIFTY
const bare: BareClient = { create32, create1, inFifties, fromAll: await fromAll() }
console.log(JSON.stringify(bare))
await client.dispose()

/** Appends a second, each to a stream of its own, so many under way. */
async function appending(underWay: number, events: number, duration = Number(seconds)): Promise<number> {
  let done = 0
  const began = performance.now()
  const until = began + duration * 1_000
  const work = async () => {
    while (performance.now() < until) {
      const appended = Array.from({ length: events }, () =>
        jsonEvent({ id: randomUUID(), type: 'bound.created', data: { filler } }),
      )
      await client.appendToStream(`bound-${randomUUID()}`, appended, { expectedRevision: NO_STREAM })
      done++
      stored += events
    }
  }
  await Promise.all(Array.from({ length: underWay }, work))
  return (done * 1_000) / (performance.now() - began)
}

async function fromAll(): Promise<number> {
  const subscription = client.subscribeToAll({
    fromPosition: START,
    filter: eventTypeFilter({ regex: '^[^$]' }),
  })
  let count = 0
  const began = performance.now()
  const until = began + Number(seconds) * 1_000
  for await (const _ of subscription) if (++count >= stored || performance.now() > until) break
  const rate = (count * 1_000) / (performance.now() - began)
  await subscription.unsubscribe()
  return rate
}
