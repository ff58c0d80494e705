/**
 * The composition root: which adapter stands behind which port, in the order of the flow. New readers start here.
 *
 * A started service has opened its stores, caught up, and listens.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { linkEngine } from './adapters/sqlite/engine-link.ts'
import { sqliteEventStore } from './adapters/sqlite/event-store.ts'
import { lockDataDir } from './adapters/sqlite/lock-data-dir.ts'
import { sqliteReadModels } from './adapters/sqlite/read-models.ts'
import { createApp } from './api/app.ts'
import type { Log } from './api/log.ts'
import { metrics } from './api/metrics.ts'
import { idempotency } from './commands/idempotency.ts'
import { identifiers } from './commands/identifiers.ts'
import { keyedLocks } from './commands/keyed-locks.ts'
import { numberSequences } from './commands/number-sequence.ts'
import { recordStates } from './commands/record-states.ts'
import { uniqueClaims } from './commands/unique-claims.ts'
import { writeRecords } from './commands/write-records.ts'
import type { EngineData } from './compose-engine.ts'
import type { Config } from './config.ts'
import { loadDefinitions } from './definitions/load.ts'
import { bootstrap } from './identity/bootstrap.ts'
import type { Clock } from './ports/clock.ts'

export interface Service {
  readonly url: string
  /** Only on the first start of an empty store, when no token was given. */
  readonly generatedToken?: string
  /** Finishes what is under way, at most 10 s, and lets go of everything. */
  stop(): Promise<void>
}

export interface Environment {
  readonly log: Log
  readonly clock: Clock
  /** The stores can no longer be trusted or used; the process has to end. */
  readonly onFatal: (reason: string) => void
}

const SHIPPED_DEFINITIONS = join(import.meta.dirname, '..', 'definitions')
const DRAIN_MS = 10_000

export async function startService(config: Config, { log, clock, onFatal }: Environment): Promise<Service> {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const definitions = loadDefinitions([
    SHIPPED_DEFINITIONS,
    ...(config.DEFINITIONS_DIR ? [config.DEFINITIONS_DIR] : []),
  ])

  mkdirSync(config.DATA_DIR, { recursive: true })
  const unlock = lockDataDir(config.DATA_DIR)
  const data: EngineData = { dataDir: config.DATA_DIR, definitions: [...definitions.values()] }
  const engine = await linkEngine(
    new Worker(new URL('./compose-engine.ts', import.meta.url), { workerData: data }),
  )
  const events = sqliteEventStore({ path: join(config.DATA_DIR, 'events.db'), engine })
  const readModels = sqliteReadModels({
    path: engine.readModelPath,
    definitions,
    engine,
    projections: ['records', 'search'],
  })

  const states = recordStates({ events, onlyWriter: true })
  const names = identifiers(clock)
  const claims = uniqueClaims({ events, states, clock })
  const numbers = numberSequences({ events, clock, newCommand: names.newCommand })
  const write = writeRecords({
    definitions,
    events,
    readModels,
    clock,
    identifiers: names,
    states,
    claims,
    numbers,
    locks: keyedLocks(),
    readLagMs: config.READ_YOUR_WRITES_MS,
  })

  const lags = async () => {
    const head = await events.head()
    return (await readModels.status()).map(({ name, position, state }) => ({
      name,
      lag: Math.max(0, head - position),
      parked: state === 'parked',
    }))
  }
  const measured = metrics({ lags })
  engine.listen((message) => {
    if (message.kind === 'appended') measured.appendGroup(message.outcomes.length / 2)
    else if (message.kind === 'trouble') log.error({ detail: message.detail }, message.message)
    else if (message.kind === 'fatal') onFatal(message.message)
  })

  const { authenticate, generatedToken } = await bootstrap({
    events,
    identifiers: names,
    clock,
    company: config.BOOTSTRAP_COMPANY,
    token: config.BOOTSTRAP_TOKEN,
  })

  let state: 'starting' | 'ready' | 'stopping' = 'starting'
  let url = ''
  const app = createApp({
    definitions,
    readModels,
    write,
    ownerOf: claims.ownerOf,
    idempotency: idempotency({ events, now: clock.now }),
    readYourWritesMs: config.READ_YOUR_WRITES_MS,
    notReady: () => (state === 'ready' ? undefined : `the service is ${state}`),
    publicUrl: () => config.PUBLIC_URL ?? url,
    version,
    authenticate,
    metrics: measured,
    log,
    everyRequest: ['trace', 'debug'].includes(config.LOG_LEVEL),
  })
  const server = createServer(
    { keepAliveTimeout: 65_000, headersTimeout: 15_000, requestTimeout: 60_000 },
    app,
  )
  await listen(server, config)
  url = `http://${urlHost(config.HOST)}:${(server.address() as AddressInfo).port}`

  // Lists are complete before the first request is invited.
  await readModels.reached(await events.head(), Number.POSITIVE_INFINITY)
  state = 'ready'

  return {
    url: config.PUBLIC_URL ?? url,
    ...(generatedToken !== undefined && { generatedToken }),
    async stop() {
      if (state === 'stopping') return
      state = 'stopping'
      await drain(server)
      await readModels.close()
      await events.close()
      unlock()
    },
  }
}

function listen(server: Server, { PORT, HOST }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(PORT, HOST, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Takes no more connections, lets requests under way finish, and ends those that take too long. */
function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
    server.close(() => {
      clearTimeout(timer)
      resolve()
    })
    server.closeIdleConnections()
  })
}

function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}
