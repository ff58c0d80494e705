/**
 * Daybook with its events in EventStoreDB, beside the server's bare client and beside embedded events, in one run: the goals of
 * docs/benchmark-figures.md with the ratio that was reached. One process has all roles; read models are embedded.
 *
 *     node bench/eventstoredb.ts [seconds] [rounds] [profile] [folder of another version]
 *
 * The server is that of EVENTSTORE_URL, else the peer of the tests as a process of its own. With another version, both are measured
 * by turns.
 */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { setTimeout as delay } from 'node:timers/promises'
import type { BareClient } from './bounds/eventstoredb.ts'
import { fill, type Dataset } from './dataset.ts'
import { startEventStore } from './engines.ts'
import { startLoadGenerator } from './load/client.ts'
import { measureBulk, readable } from './measures/measure-bulk.ts'
import { measureScenario } from './measures/measure-load.ts'
import { threadTimes } from './measures/thread-times.ts'
import { coreForLoad } from './pinning.ts'
import { SCENARIOS } from './scenarios.ts'
import { startDaybook, type RunningServer } from './servers.ts'

const [seconds = '3', rounds = '3', profiled = '', other] = process.argv.slice(2)
const RECORDS = 5_000
const BULK_ROWS = 4_000
const FILLED_BY = 100
const BOUND = join(import.meta.dirname, 'bounds', 'eventstoredb.ts')

interface Subject {
  readonly name: string
  readonly server: RunningServer
  readonly dataset: Dataset
  /** The server of its events; 0: they are embedded. */
  readonly peer: number
}

type What = 'get' | 'create32' | 'create1' | 'rows'
type Rates = Record<What, number[]>

const folder = mkdtempSync(join(tmpdir(), 'daybook-eventstoredb-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
const generator = startLoadGenerator(coreForLoad())
const stops: (() => Promise<unknown>)[] = [async () => generator.stop()]
let run = 0
try {
  console.log(`load average before: ${loadavg()[0]!.toFixed(1)}`)
  const bound = await startEventStore(join(folder, 'bound.db'))
  stops.push(bound.stop)
  const subjects = [
    await started('embedded', false),
    await started('this version', true),
    ...(other ? [await started('the other version', true, join(other, 'src', 'main.js'))] : []),
  ]
  const bare: BareClient[] = []
  const rates = new Map(
    subjects.map(({ name }): [string, Rates] => [name, { get: [], create32: [], create1: [], rows: [] }]),
  )
  for (let round = 0; round < Number(rounds); round++) {
    bare.push(await measureBound(bound.url))
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed())
      for (const what of ['get', 'create32', 'create1', 'rows'] as const)
        rates.get(subject.name)![what].push(await measure(subject, what))
  }
  report(bare, rates)
} finally {
  for (const stop of stops.toReversed()) await stop()
}

async function started(name: string, onServer: boolean, source?: string): Promise<Subject> {
  const dataDir = join(folder, name)
  mkdirSync(dataDir)
  const events = onServer ? await startEventStore(join(folder, `${name}.db`)) : undefined
  if (events) stops.push(events.stop)
  const server = await startDaybook({
    dataDir,
    profile: profiled === 'profile' && onServer,
    ...(source !== undefined && { source }),
    ...(events && {
      settings: { EVENTSTORE_URL: events.url, SECRETS_KEYS: randomBytes(32).toString('base64') },
    }),
  })
  stops.push(() => server.stop())
  const dataset = await fill(`http://127.0.0.1:${server.port}`, RECORDS, () => {}, FILLED_BY)
  await readable(server.port, dataset.positions)
  await delay(2_000)
  return { name, server, dataset, peer: events?.pid ?? 0 }
}

async function measureBound(url: string): Promise<BareClient> {
  const { stdout } = await promisify(execFile)(process.execPath, [BOUND, url, seconds])
  return JSON.parse(stdout) as BareClient
}

async function measure({ name, server, dataset, peer }: Subject, what: What): Promise<number> {
  const common = { server, generator, dataset }
  const before = computed(peer)
  const timing = { seconds: Number(seconds), warmupSeconds: 0.5, bounds: {}, run: ++run }
  const scenario = SCENARIOS.find((one) => one.name === (what === 'get' ? 'get' : 'create'))!
  const [figure] =
    what === 'rows'
      ? await measureBulk({ ...common, rows: BULK_ROWS })
      : [await measureScenario({ ...common, ...timing, scenario, connections: what === 'create1' ? 1 : 32 })]
  const { perSecond, p50, p99, errors, notes } = figure!
  const count = what === 'rows' ? BULK_ROWS : perSecond * (timing.seconds + timing.warmupSeconds)
  const ofPeer = peer ? `; its server ${Math.round(((computed(peer) - before) * 1e6) / count)} µs` : ''
  console.log(
    `${name}, ${what}: ${Math.round(perSecond)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms` +
      `${errors > 0 ? `, ${errors} ERRORS` : ''}; ${notes.join('; ')}${ofPeer}`,
  )
  return perSecond
}

function computed(pid: number): number {
  return pid === 0 ? 0 : [...threadTimes(pid).values()].reduce((sum, one) => sum + one, 0)
}

function report(bare: readonly BareClient[], rates: ReadonlyMap<string, Rates>): void {
  const bound = (of: keyof BareClient) => middle(bare.map((one) => one[of]))
  const embedded = rates.get('embedded')!
  console.log(
    `\nthe server: ${Math.round(bound('inFifties'))} events/s in appends of 50, ${Math.round(bound('fromAll'))}/s from $all` +
      `\nload average after: ${loadavg()[0]!.toFixed(1)}`,
  )
  const goals: readonly (readonly [What, string, number, number])[] = [
    ['create32', 'bare client, 32 under way', bound('create32'), 0.4],
    ['create1', 'bare client, one', bound('create1'), 0.5],
    ['rows', 'bare client, in appends of 50', bound('inFifties'), 0.3],
    ['rows', 'bare client, 32 under way', bound('create32'), 0.3],
    ['get', 'embedded', middle(embedded.get), 0.8],
  ]
  for (const [name, reached] of rates)
    for (const [what, of, limit, goal] of name === 'embedded' ? [] : goals) {
      const rate = middle(reached[what])
      console.log(
        `${name}, ${what}: ${Math.round(rate)}/s of ${Math.round(limit)} (${of}) = ${(rate / limit).toFixed(2)}, goal ${goal}` +
          `; embedded ${Math.round(middle(embedded[what]))}`,
      )
    }
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]!
}
