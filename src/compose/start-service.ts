/**
 * The composition root: which adapter stands behind which port, in the order of the flow. New readers start here.
 *
 * A started service listens; it is ready when its stores answer and its read models have caught up.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { actorNames } from '../api/records/actors.ts'
import { listenForAdmin, type ResetPassword } from '../api/operations/admin-socket.ts'
import { createApp } from '../api/app.ts'
import { commonHeaders } from '../api/http/common-headers.ts'
import { exportTurns } from '../api/warehouse/export-turns.ts'
import { httpServer } from '../api/http/http-server.ts'
import type { Log } from '../api/http/log.ts'
import { metrics } from '../api/operations/metrics.ts'
import { projectionsArea } from '../api/operations/projections.ts'
import { warehouseArea } from '../api/warehouse/warehouse.ts'
import { workflowRoutes } from '../api/workflow/workflow.ts'
import { webhooksArea } from '../api/webhooks/webhooks.ts'
import { idempotency } from '../commands/support/idempotency.ts'
import { identifiers } from '../commands/support/identifiers.ts'
import { keyedLocks } from '../commands/support/keyed-locks.ts'
import { numberSequences } from '../commands/support/number-sequence.ts'
import { recordStates } from '../commands/support/record-states.ts'
import { uniqueClaims } from '../commands/support/unique-claims.ts'
import { writeRecords } from '../commands/write-records.ts'
import { withInternal } from './definitions.ts'
import { openIdentity } from './identity.ts'
import { secrets } from './secrets.ts'
import { lagsOf } from './lags.ts'
import { limitsOf, loginLimitsOf } from './limits.ts'
import { lookingBack } from './history.ts'
import { caughtUp } from './ready.ts'
import { checkServerUrls } from './server-urls.ts'
import { openStores } from './stores.ts'
import { openWarehouses } from './warehouses.ts'
import { resolveHost, webhooks, type Webhooks } from './webhooks.ts'
import { startScheduler, type Scheduler } from './scheduler.ts'
import type { Config } from '../config.ts'
import { loadDefinitions } from '../definitions/load.ts'
import { loadRoles } from '../definitions/load-roles.ts'
import { Unavailable } from '../domain/errors.ts'
import type { FirstStart } from '../identity/bootstrap.ts'
import type { Clock } from '../ports/clock.ts'

export interface Service {
  readonly url: string
  /** Finishes what is under way, at most 10 s, and lets go of everything. */
  stop(): Promise<void>
  /** For whoever has the machine (`scripts/admin.ts`). */
  readonly resetPassword: ResetPassword
  /** Reads TLS_CERT and TLS_KEY again; nothing where they are not set. */
  renewCertificate(): void
}

export interface Environment {
  readonly log: Log
  readonly clock: Clock
  /** Shows what the first start of an empty store made; never logged. */
  readonly show?: (first: FirstStart) => void
  /** Another process was faster: what was shown is void. */
  readonly showVoid?: () => void
  /** The stores can no longer be trusted or used; the process has to end. */
  readonly onFatal: (reason: string) => void
}

const ROOT = join(import.meta.dirname, '..', '..')
const RETRY_MS = 500

export async function startService(config: Config, environment: Environment): Promise<Service> {
  const { log, clock, onFatal, show = () => {}, showVoid = () => {} } = environment
  await checkServerUrls(config)
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const folders = [join(ROOT, 'definitions'), ...(config.DEFINITIONS_DIR ? [config.DEFINITIONS_DIR] : [])]
  const definitions = loadDefinitions(folders)
  const all = withInternal(definitions)
  const roles = loadRoles(folders, all)

  const headers = commonHeaders(config.APP_ORIGIN)
  const tls =
    config.TLS_CERT !== undefined && config.TLS_KEY !== undefined
      ? { certificate: config.TLS_CERT, key: config.TLS_KEY }
      : undefined
  const server = httpServer({ tls, log, headers: headers.plain })

  const measured = metrics({ lags: () => lags(), deliveries: () => stores.deliveries.status() })
  let eventsHaveGrown = () => {}
  let sending: Webhooks | undefined
  const stores = await openStores({
    config,
    definitions: all,
    log,
    onFatal,
    onAppendGroup: (size) => {
      measured.appendGroup(size)
      eventsHaveGrown()
      sending?.grown()
    },
  })
  const { events, readModels, onlyWriter, changes } = stores
  const warehouses = await openWarehouses({ config, definitions: all, events, log, onFatal }).catch(
    async (error: unknown) => {
      await stores.close()
      throw error
    },
  )
  eventsHaveGrown = warehouses.grown
  const controls = [stores.projections, ...warehouses.controls]
  const lags = () => lagsOf(controls, events)

  const sealer = secrets({ config, events, clock, log })
  const readYourWritesMs = config.READ_YOUR_WRITES_MS
  const states = recordStates({ events, onlyWriter, changes })
  const names = identifiers(clock)
  const claims = uniqueClaims({ events, states, clock })
  const numbers = numberSequences({ events, clock, newCommand: names.newCommand })
  const locks = keyedLocks()
  const once = idempotency({ events, now: clock.now })
  const writing = {
    definitions: all,
    events,
    readModels,
    clock,
    identifiers: names,
    states,
    claims,
    numbers,
    locks,
    readLagMs: readYourWritesMs,
  }
  const write = writeRecords(writing)

  const limits = await limitsOf({ config, clock, log })
  const turns = exportTurns({ elapsed: clock.elapsed, atOnce: config.EXPORTS_AT_ONCE })
  const past = lookingBack({
    definitions,
    all,
    stores,
    dataDir: config.DATA_DIR,
    states,
    identifiers: names,
    clock,
    turns,
    sealer,
    readLagMs: readYourWritesMs,
  })
  const webhooksOf = {
    config,
    version,
    definitions,
    readModels,
    queue: stores.deliveries.queue,
    holdDataDir: stores.holdDataDir,
    write,
    identifiers: names,
    clock,
    sealer,
    log,
  }
  const notified = (sending = webhooks(webhooksOf))
  controls.push(notified.control)

  let stopListening = async () => {}
  let state: 'starting' | 'ready' | 'stopping' = 'starting'
  const identity = openIdentity({
    config,
    definitions: all,
    roles,
    events,
    readModels,
    states,
    claims,
    write,
    identifiers: names,
    idempotency: once,
    sealer,
    clock,
    log,
    limits: await loginLimitsOf({ config, clock, log }),
    show,
    showVoid,
  })
  const app = createApp({
    definitions,
    readModels,
    write,
    ownerOf: claims.ownerOf,
    idempotency: once,
    readYourWritesMs,
    servesRecords: config.ROLES.has('api'),
    areas: [
      identity.area,
      projectionsArea({ controls, head: () => events.head() }),
      webhooksArea({
        definitions,
        events,
        readModels,
        write,
        load: states.load,
        deliveries: notified.deliveries,
        idempotency: once,
        sealer,
        clock,
        readYourWritesMs,
        rules: notified.rules,
        resolve: resolveHost,
      }),
      ...past.areas,
      warehouseArea({ warehouse: warehouses.warehouse, turns, clock, readYourWritesMs }),
    ],
    asOf: past.asOf,
    recordExtras: [
      ...past.routes,
      workflowRoutes({
        definitions,
        events,
        states,
        readModels,
        write,
        idempotency: once,
        readYourWritesMs,
        actorName: actorNames(states),
      }),
    ],
    deliveryQueue: stores.deliveries.lastState,
    notReady: () => (state === 'ready' ? undefined : `the service is ${state}`),
    publicUrl: () => config.PUBLIC_URL ?? server.url(),
    appOrigin: config.APP_ORIGIN,
    commonHeaders: headers,
    tls: tls !== undefined,
    trustProxy: config.TRUST_PROXY,
    rateLimits: limits,
    version,
    authenticate: identity.authenticate,
    cookieDomain: config.COOKIE_DOMAIN,
    metrics: measured,
    log,
    everyRequest: ['trace', 'debug'].includes(config.LOG_LEVEL),
  })
  let scheduler: Scheduler | undefined
  const stop = async () => {
    if (state === 'stopping') return
    state = 'stopping'
    await stopListening()
    await server.drain()
    await scheduler?.stop()
    await identity.stop()
    await notified.stop()
    await past.close()
    await limits?.close()
    await warehouses.close()
    await stores.close()
  }

  try {
    // Declared before they are needed; and a URL that cannot be used stops the start.
    if (config.RABBITMQ_URL && config.ROLES.has('webhooks')) await stores.deliveries.queue()
    await server.listen({ app, port: config.PORT, host: config.HOST })
    await reachable(log, () => sealer.find())
    const company = await reachable(log, () => identity.bootstrap())
    log.debug({ company }, 'the first company of this store')
    // Lists are complete before the first request is let in.
    if (config.ROLES.has('api'))
      await reachable(log, () => caughtUp({ events, readModels, definitions: all, log }))
    if (config.ROLES.has('webhooks')) await notified.start()
    // A process that writes alone has nothing to look at again.
    if (config.ROLES.has('scheduler') && !onlyWriter)
      scheduler = await reachable(log, () => startScheduler({ ...writing, write, log }))
  } catch (error) {
    await stop()
    throw error
  }
  state = 'ready'
  identity.start()
  if (onlyWriter) stopListening = await listenForAdmin(config.DATA_DIR, identity.resetPassword)
  return {
    url: config.PUBLIC_URL ?? server.url(),
    stop,
    resetPassword: identity.resetPassword,
    renewCertificate: server.renewCertificate,
  }
}

/** Servers may come up after this process: what they do not answer yet is asked again. */
async function reachable<T>(log: Log, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error
      log.warn({ detail: error.message }, 'waiting for the stores')
      await delay(RETRY_MS)
    }
  }
}
