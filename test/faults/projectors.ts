/**
 * Several projections processes that share the work, each as its users run it, on the stand-ins of EventStoreDB and MongoDB, and
 * events of many companies for them.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { join } from 'node:path'
import { eventStoreDbStore } from '../../src/adapters/eventstoredb/event-store.ts'
import { checkpointOf } from '../../src/adapters/mongodb/checkpoint.ts'
import { connect } from '../../src/adapters/mongodb/connection.ts'
import { mongoReadModels } from '../../src/adapters/mongodb/read-models/read-models.ts'
import { withInternal } from '../../src/compose/parts/definitions.ts'
import { loadDefinitions } from '../../src/definitions/load.ts'
import type { Position } from '../../src/domain/events/event.ts'
import { startFerretDb } from '../engines/ferretdb/start.ts'
import { withDatabase } from '../engines/mongodb-under-test.ts'
import { startPeer } from '../peers/eventstoredb/start-peer.ts'
import { newEvent } from '../support/events.ts'
import { SECRETS_KEYS } from '../support/secrets-keys.ts'
import { TOKEN } from '../support/service.ts'
import { tcpProxy } from '../support/tcp-proxy.ts'
import { startMain, type MainProcess } from '../system/support/main-process.ts'

export interface ProjectorsOptions {
  readonly folder: string
  readonly companies: number
  /** Added to each call of the stores, there and back together. */
  readonly delayMs?: number
}

export type Projectors = Awaited<ReturnType<typeof startProjectors>>

const definitions = withInternal(loadDefinitions([join(import.meta.dirname, '..', '..', 'definitions')]))
const LOOK_MS = 20
const LONGEST_MS = 60_000

const companyOf = (nth: number) => `company-01${String(nth).padStart(24, '0')}`
const keyOf = (nth: number) => `tenant-02${String(nth).padStart(24, '0')}`

export async function startProjectors({ folder, companies, delayMs = 0 }: ProjectorsOptions) {
  const stops: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const one of stops.toReversed()) await one().catch(() => {})
  }
  const kept = <T extends { stop(): Promise<unknown> }>(one: T): T => {
    stops.push(() => one.stop())
    return one
  }
  const closed = <T extends { close(): Promise<unknown> }>(one: T): T => {
    stops.push(() => one.close())
    return one
  }
  const peer = kept(await startPeer({ file: join(folder, 'peer.db') }))
  const ferretDb = kept(await startFerretDb())
  const mongoUrl = withDatabase(ferretDb.url, 'daybook')
  const lines = [
    kept(await tcpProxy({ port: peer.port })),
    kept(await tcpProxy({ port: Number(new URL(ferretDb.url).port) })),
  ] as const
  for (const line of lines) line.delay(delayMs / 2)
  const settings = {
    EVENTSTORE_URL: `esdb://127.0.0.1:${lines[0].port}?tls=false`,
    MONGODB_URL: `mongodb://127.0.0.1:${lines[1].port}/daybook`,
    ...{ SECRETS_KEYS, BOOTSTRAP_TOKEN: TOKEN, LOG_LEVEL: 'error' },
  }
  const events = closed(eventStoreDbStore({ url: peer.url }))
  const connection = closed(connect({ url: mongoUrl, definitions }))
  const readModels = closed(await mongoReadModels({ url: mongoUrl, definitions }))
  const checkpoint = checkpointOf(connection.checkpoints, () => connection.generation, connection.shares)
  const running = new Map<number, MainProcess>()
  let started = 0

  const until = async (what: string, isSo: () => Promise<boolean>) => {
    const begin = performance.now()
    while (!(await isSo().catch(() => false))) {
      if (performance.now() - begin > LONGEST_MS) throw new Error(`${what}: not within ${LONGEST_MS} ms`)
      await delay(LOOK_MS)
    }
    return performance.now() - begin
  }
  const given = async () => {
    await connection.ready()
    return (await connection.positions.findOne({ _id: connection.generation }))?.given ?? []
  }
  const reached = async (): Promise<Position> => {
    const { positions } = await checkpoint.read()
    return Math.min(...['records', 'search'].map((name) => positions.get(name) ?? 0))
  }

  return {
    running,
    mongoPid: ferretDb.pid,
    stop,
    async start(): Promise<MainProcess> {
      const DATA_DIR = join(folder, `process-${++started}`)
      const process = await startMain({ ...settings, ROLES: 'projections', DATA_DIR })
      running.set(process.pid, process)
      stops.push(() => process.end('SIGTERM'))
      return process
    },
    /** Resolves once so many share the work. */
    shared: (processes: number) =>
      until('it is shared', async () => (await given()).length === processes - 1),
    /** One that has a part and does not lead. */
    async helper(): Promise<MainProcess> {
      const [share] = await given()
      return running.get(Number(share!.holder.split(' ')[1]))!
    },
    async leader(): Promise<MainProcess> {
      const helping = new Set((await given()).map(({ holder }) => Number(holder.split(' ')[1])))
      return [...running.values()].find(({ pid }) => !helping.has(pid))!
    },
    async kill(process: MainProcess) {
      running.delete(process.pid)
      await process.end('SIGKILL')
    },
    /** The next event of each company's record: created, or changed. Answers the last position. */
    async tell(version: number, every: readonly number[] = Array.from({ length: companies }, (_, n) => n)) {
      const appended = await Promise.all(
        every.map((nth) => {
          const [company, stream] = [companyOf(nth), keyOf(nth)]
          const type = version === 1 ? 'tenant.created' : 'tenant.updated'
          const event = newEvent({ company, type, data: { Name: `Tenant ${nth} ${version}` } })
          return events.append({ company, stream, expected: version - 1, events: [event] })
        }),
      )
      return Math.max(...appended.map(({ position }) => position))
    },
    until: (position: Position) => until('it is applied', async () => (await reached()) >= position),
    /** What is shown of each company's record. */
    shown: () =>
      Promise.all(
        Array.from({ length: companies }, async (_, nth) => {
          const found = await readModels.get(companyOf(nth), 'tenant', keyOf(nth))
          return { version: found?.version, Name: found && (JSON.parse(found.json) as { Name: string }).Name }
        }),
      ),
    wanted: (version: number) =>
      Array.from({ length: companies }, (_, nth) => ({ version, Name: `Tenant ${nth} ${version}` })),
  }
}
