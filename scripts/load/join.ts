/**
 * `node scripts/load/join.ts [--events 1000000] [--starts 3]`: how long a new api process takes until it is ready, and what
 * it holds, beside an event store of so many events of a thousand companies. Exit code 1 when a goal is missed.
 *
 * EventStoreDB's peer of the tests has the events. MongoDB's stand-in has what a few records lead to, and checkpoints that
 * have been moved to the last event: a process that joins reads no more than them.
 *
 * Needs FerretDB: npm run engines:install
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MongoClient } from 'mongodb'
import { streamOf } from '../../src/domain/events/stream-name.ts'
import { ENVELOPE } from '../../src/domain/events/upcast.ts'
import type { LastEvent } from '../../src/ports/projection-store.ts'
import { withFolder } from '../../test/faults/ledger/service-process.ts'
import { startFerretDb } from '../../test/engines/ferretdb/start.ts'
import { eventLog } from '../../test/peers/eventstoredb/event-log.ts'
import { startPeer } from '../../test/peers/eventstoredb/start-peer.ts'
import { SECRETS_KEYS } from '../../test/support/secrets-keys.ts'
import { PASSWORD, TOKEN } from '../../test/support/service.ts'
import { startMain, type MainProcess } from '../../test/system/support/main-process.ts'
import { numbersFromArguments } from '../faults/arguments.ts'

const GOAL = { seconds: 5, megabytes: 200 }
const COMPANIES = 1_000
/** Events of a record. */
const VERSIONS = 10
/** Records of one transaction of the peer. */
const AT_ONCE = 2_000
/** Of the clock in /proc, a second. */
const TICKS = 100

/** Adds events to the peer's file, and answers with the last of them. */
async function addEvents(file: string, count: number): Promise<LastEvent> {
  const log = eventLog(file)
  const company = (record: number) => `company-01${String(record % COMPANIES).padStart(24, '0')}`
  const append = async (record: number): Promise<LastEvent> => {
    const key = `tenant-02${String(record).padStart(24, '0')}`
    const events = Array.from({ length: VERSIONS }, (_, i) => ({
      id: crypto.randomUUID(),
      type: i === 0 ? 'tenant.created' : 'tenant.updated',
      contentType: 'application/json',
      data: Buffer.from(JSON.stringify({ Name: `Tenant ${record} ${i}`, Phone: String(i) })),
      metadata: Buffer.from(metadataOf(company(record))),
    }))
    const outcome = await log.append({ stream: streamOf(company(record), key), expected: -1, events })
    if (!outcome.stored) throw new Error(`${key} is there already`)
    const { id } = events.at(-1)!
    return { position: outcome.position!, id, company: company(record), stream: key, version: VERSIONS }
  }
  let last: LastEvent | undefined
  for (let record = 0; record * VERSIONS < count; record += AT_ONCE) {
    const some = Math.min(AT_ONCE, Math.ceil(count / VERSIONS) - record)
    last = (await Promise.all(Array.from({ length: some }, (_, i) => append(record + i)))).at(-1)
  }
  log.close()
  return last!
}

function metadataOf(company: string): string {
  const at = '2026-01-31T10:00:00.000Z'
  const $correlationId = crypto.randomUUID()
  const from = { actor: 'daybook', at, recordedAt: at, $correlationId, command: 'update', source: 'system' }
  return JSON.stringify({ envelope: ENVELOPE, company, ...from, schema: 1 })
}

/** As if read models and journal had come to that event. */
async function moveCheckpoints(url: string, last: LastEvent): Promise<void> {
  const client = await new MongoClient(url).connect()
  for (const name of ['projection_positions', 'journal_positions']) {
    const positions = client.db().collection<{ readonly positions: object }>(name)
    for (const { _id, positions: of } of await positions.find().toArray())
      for (const projection of Object.keys(of))
        await positions.updateOne(
          { _id },
          { $set: { [`positions.${projection}`]: last.position, [`last.${projection}`]: last } },
        )
  }
  await client.close()
}

const memoryOf = ({ pid }: MainProcess, name: 'VmRSS' | 'VmHWM') => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1_024
}

/** What it has computed so far, in all threads: beside the time that passed, it says what a busy machine added. */
function computedSeconds({ pid }: MainProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

/** The service with these roles, for as long as `work` takes. */
async function withProcess<T>(
  settings: Readonly<Record<string, string>>,
  work: (service: MainProcess, readyAfterMs: number) => Promise<T>,
): Promise<T> {
  const begin = performance.now()
  const service = await startMain(settings)
  const ms = performance.now() - begin
  try {
    return await work(service, ms)
  } finally {
    await service.end('SIGTERM')
  }
}

async function answered({ url }: MainProcess, path: string, init: RequestInit = {}): Promise<void> {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' }
  const response = await fetch(`${url}/api/v1/${path}`, { ...init, headers })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

const { events, starts } = numbersFromArguments({ events: 1_000_000, starts: 3 })

await withFolder(async (folder) => {
  const file = join(folder, 'events.db')
  const mongo = await startFerretDb()
  const MONGODB_URL = `${mongo.url}daybook`
  const settings = (EVENTSTORE_URL: string, ROLES: string, name: string) => ({
    ...{ EVENTSTORE_URL, MONGODB_URL, SECRETS_KEYS, ROLES, DATA_DIR: join(folder, name) },
    ...{ BOOTSTRAP_TOKEN: TOKEN, BOOTSTRAP_PASSWORD: PASSWORD },
  })
  try {
    const founding = await startPeer({ file })
    await withProcess(settings(founding.url, 'api,projections', 'founder'), async (service) => {
      for (const Name of ['Ann', 'Bea'])
        await answered(service, 'tenant', { method: 'POST', body: JSON.stringify({ Name }) })
      await answered(service, 'audit')
    })
    await founding.stop()
    const begin = performance.now()
    await moveCheckpoints(MONGODB_URL, await addEvents(file, events))
    console.log(`${events} events added in ${((performance.now() - begin) / 1_000).toFixed(1)} s`)

    execFileSync('sync') // what the disk is still to take would be measured with the start
    const peer = await startPeer({ file })
    for (let nth = 1; nth <= starts; nth++)
      await withProcess(settings(peer.url, 'api', `api-${nth}`), async (service, ms) => {
        const [megabytes, computed] = [memoryOf(service, 'VmHWM'), computedSeconds(service)]
        await answered(service, 'tenant')
        await answered(service, 'tenant/changes')
        const after = memoryOf(service, 'VmRSS')
        const isMissed = ms > GOAL.seconds * 1_000 || megabytes > GOAL.megabytes
        if (isMissed) process.exitCode = 1
        console.log(
          `ready after ${(ms / 1_000).toFixed(2)} s (${computed.toFixed(2)} s of computing), with ${megabytes.toFixed(0)} MB at the most; ` +
            `${after.toFixed(0)} MB after a list and a feed${isMissed ? ': MISSED' : ''}`,
        )
      })
    console.log(`${Math.round(peer.observed().sent / starts)} events read by each`)
    await peer.stop()
  } finally {
    await mongo.stop()
  }
})
