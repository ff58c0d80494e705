/**
 * The composition root: which adapter stands behind which port. New readers start here, with `startService`.
 *
 * A started service listens; it is ready when its stores answer and its read models have caught up.
 */
import { EventEmitter } from 'node:events'
import { originsOf } from '../api/http/csrf.ts'
import { httpServer } from '../api/http/http-server.ts'
import type { Log } from '../ports/log.ts'
import { listenForAdmin, type LetIn } from '../api/operations/admin-socket.ts'
import { exportTurns } from '../api/warehouse/export-turns.ts'
import type { Config } from '../config.ts'
import type { Position } from '../domain/events/event.ts'
import type { FirstStart } from '../identity/bootstrap.ts'
import { logIdentity } from '../commands/support/log-identity.ts'
import { recordingClock } from '../commands/support/recording-clock.ts'
import type { Clock } from '../ports/clock.ts'
import { dueActions } from '../timers/due-actions.ts'
import { openApp } from './parts/app.ts'
import { withSent } from './parts/definitions.ts'
import { listenForNotifications } from './parts/notification-listener.ts'
import { openNotifications } from './parts/notifications.ts'
import { lookingBack } from './parts/history.ts'
import { openIdentity } from './parts/identity.ts'
import { openImports } from './parts/imports.ts'
import { followersControl } from '../projections/followers-control.ts'
import { openIntegrations } from './parts/integrations.ts'
import { companyLimitsOf, limitsOf, loginLimitsOf } from './parts/limits.ts'
import { caughtUp } from '../projections/caught-up.ts'
import { watchRights } from '../api/operations/watch-rights.ts'
import { mendLookups } from '../timers/mend-lookups.ts'
import { openPositions } from '../api/http/positions.ts'
import { startTimers } from '../timers/start-timers.ts'
import { openTimers } from './parts/timers.ts'
import { reachable } from './reachable.ts'
import { readersOf, threadsTogether } from './readers/together.ts'
import { readStart } from './read-start.ts'
import { openStores } from './stores.ts'
import { openWarehouses } from './warehouse/warehouses.ts'
import { watchParts } from './watch-parts.ts'
import { webhooks } from './webhooks/webhooks.ts'
import { sendsNone } from '../webhooks/targets.ts'
import { openSecrets } from './parts/keys.ts'
import { beginUnique, claimUniqueValues } from '../commands/unique/unique-values.ts'
import { openWriteSide } from './parts/write-side.ts'

export interface Service {
  readonly url: string
  /** Of the notification-template service; undefined in a process without the role `notifications`. */
  readonly notificationUrl: string | undefined
  /** Key of the first company. */
  readonly company: string
  /** Finishes the requests under way, for at most 10 s, and closes everything. */
  stop(): Promise<void>
  /** For the administrator of the machine (`scripts/admin.ts`). */
  readonly letIn: LetIn
  /** Reads TLS_CERT and TLS_KEY again; does nothing where they are not set. */
  renewCertificate(): void
}

export interface Environment {
  readonly log: Log
  readonly clock: Clock
  /** How often timers are looked at, in ms, where `clock` goes faster than others; left out: each second. */
  readonly lookAtTimersMs?: number
  /** From a change of what is owed until open bank lines are matched again, in ms; left out: some seconds. */
  readonly matchAgainMs?: number
  /** Shows what the first start of an empty store made; never logged. */
  readonly show?: (first: FirstStart) => void
  /** Another process was faster: what was shown is void. */
  readonly showVoid?: () => void
  /** The stores can no longer be trusted or used; the process has to end. */
  readonly onFatal: (reason: string) => void
}

/** Everything that is opened is closed in the reverse order, when the service stops or its start fails. */
export async function startService(config: Config, environment: Environment): Promise<Service> {
  const start = { ...(await readStart(config)), config, ...environment }
  for (const { what, name, faults } of start.leftOut)
    start.log.warn(
      { faults: faults.map(({ path, reason }) => `${path}: ${reason}`) },
      `the ${what} ${name} is left out: it does not fit your definitions`,
    )
  const closing = new AsyncDisposableStack()
  try {
    const engines = await openEngines(start, closing)
    const parts = await openParts(start, engines, closing)
    return await serveClients(start, engines, parts, closing)
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

type Start = Awaited<ReturnType<typeof readStart>> & Environment & { readonly config: Config }
type Engines = Awaited<ReturnType<typeof openEngines>>
type Parts = Awaited<ReturnType<typeof openParts>>

/** Step 2: the engines that keep events, read models, the warehouse and deliveries. */
async function openEngines(
  { config, all, log, onFatal, tls, headers }: Start,
  closing: AsyncDisposableStack,
) {
  const server = httpServer({ tls, log, headers: headers.plain, portSetting: 'PORT' })
  // `group`: this many appends shared a commit; `head`: position of the last event.
  const appends = new EventEmitter<{ group: [size: number, head: Position] }>()
  const stores = await openStores({
    config,
    definitions: all,
    log,
    onFatal,
    onAppendGroup: (size, head) => appends.emit('group', size, head),
  })
  closing.defer(() => stores.close())
  const { events } = stores
  const warehouses = await openWarehouses({ config, definitions: all, events, log, onFatal })
  closing.defer(() => warehouses.close())
  appends.on('group', warehouses.grown)
  return { server, appends, stores, warehouses }
}

/** Step 3: the parts of the service: commands, identity, webhooks, history. */
async function openParts(start: Start, engines: Engines, closing: AsyncDisposableStack) {
  const { config, version, definitions, all, clock, log } = start
  const { server, appends, stores } = engines
  const { events, readModels } = stores
  const readLagMs = config.READ_YOUR_WRITES_MS
  const recording = recordingClock(clock)
  const { sealer, keys } = await openSecrets({ config, events, clock: recording })
  closing.defer(() => keys.close())
  const positions = openPositions(sealer)
  const together = threadsTogether(config)
  const { onChanged, counted } = together
  const writeSide = openWriteSide({ stores, definitions: all, clock: recording, keys, readLagMs, onChanged })
  const { states, write, identifiers } = writeSide

  const rateLimits = await limitsOf({ config, clock, log })
  const companyLimits = await companyLimitsOf({ config, clock, log })
  for (const limits of [rateLimits, companyLimits.requests, companyLimits.rows])
    closing.defer(async () => limits?.close())
  const turns = exportTurns({ elapsed: clock.elapsed, atOnce: config.EXPORTS_AT_ONCE })
  const shared = { ...start, stores, writeSide, keys, sealer, positions, clock: recording }
  const past = lookingBack({
    ...shared,
    dataDir: config.DATA_DIR,
    states,
    identifiers,
    turns,
    readLagMs,
  })
  closing.defer(() => past.close())
  const notifications = openNotifications(shared)
  closing.defer(async () => notifications.close())
  const rest = { send: sendsNone }
  const sending = webhooks({
    config,
    version,
    definitions: withSent(definitions),
    events,
    readModels,
    onFatal: start.onFatal,
    holdDataDir: stores.holdDataDir,
    write,
    identifiers,
    clock,
    sealer,
    log,
    sendTo: { mail: notifications.sendMail, rest: (...thing) => rest.send(...thing) },
  })
  closing.defer(() => sending.stop())
  appends.on('group', (_size, head) => sending.grown(head))
  const publicUrl = () => config.PUBLIC_URL ?? server.url()
  const origins = originsOf(config.APP_ORIGIN, publicUrl)
  const identity = openIdentity({
    show: () => {},
    showVoid: () => {},
    ...start,
    ...writeSide,
    ...engines.warehouses,
    journal: stores.journal,
    definitions: all,
    sealer,
    positions,
    origins,
    limits: await loginLimitsOf({ config, clock, log }),
  })
  closing.defer(() => identity.stop())
  const given = { ...shared, ...identity }
  const importing = await openImports(given, closing)
  const timersControl = followersControl(config.MONGODB_URL !== undefined)
  const integrating = await openIntegrations({ ...given, identity, positions, publicUrl }, closing)
  rest.send = integrating.send
  const clients = { positions, publicUrl, origins, rateLimits, companyLimits }
  const outward = { sending, notifications, importing, integrating, timersControl }
  const watched = watchParts({ ...start, ...engines, ...clients, ...outward, turns, counted }, closing)
  const parts = { together, sealer, keys, writeSide, turns, past, identity, ...outward }
  return { ...parts, ...clients, ...watched }
}

/** Step 4: from the first byte on the port to a service that is ready. */
async function serveClients(start: Start, engines: Engines, parts: Parts, closing: AsyncDisposableStack) {
  const { config, all, clock, log } = start
  const { server, stores } = engines
  const { events, readModels, onlyWriter } = stores
  const { identity, sealer, keys, positions, sending, writeSide, publicUrl } = parts
  let state: 'starting' | 'ready' | 'stopping' = 'starting'
  const rights = watchRights(events)
  closing.defer(() => rights.stop())
  const notReady = () =>
    rights.denied() ?? sending.failure() ?? (state === 'ready' ? undefined : `the service is ${state}`)
  const app = openApp({ ...start, ...engines, ...parts, notReady })

  closing.defer(() => server.drain())
  await server.listen({ app, port: config.PORT, host: config.HOST, shared: parts.together.shared })
  // Before a company is founded: what that shows is shown once, and a port that is taken would end the start.
  const notificationUrl = await listenForNotifications({ ...start, ...parts, notReady }, closing)
  positions.setLog(await reachable(log, () => logIdentity(events, clock.now)))
  await reachable(log, () => sealer.find())
  await reachable(log, () => keys.check())
  await reachable(log, () => sealer.settle())
  await reachable(log, () => beginUnique(events, writeSide.unclaimed))
  const company = await reachable(log, () => identity.bootstrap())
  log.debug({ company }, 'the first company of this store')
  // Lists are complete before the first request is let in.
  if (config.ROLES.has('api'))
    await reachable(log, () =>
      caughtUp({ events, readModels, otherLog: stores.otherLog, definitions: all, log }),
    )
  if (config.ROLES.has('webhooks')) await sending.start()
  // A process that writes alone has nothing to look at again.
  if (config.ROLES.has('scheduler') && !onlyWriter) {
    const mending = await reachable(log, () => mendLookups({ ...writeSide, log }))
    closing.defer(() => mending.stop())
  }
  if (config.ROLES.has('scheduler')) {
    const claiming = claimUniqueValues({ ...writeSide, claims: writeSide.claimsByEvents, log })
    closing.defer(() => claiming.stop())
    const { importing, integrating, timersControl: control } = parts
    const { rules: ofMails, followers } = parts.notifications.scheduled(identity.roleAccess)
    const rules = [...dueActions(writeSide), ...ofMails, ...importing.schedules, ...integrating.rules]
    const timers = await reachable(log, async () =>
      startTimers({
        ...writeSide,
        timers: await openTimers(config, sending.timers),
        isEmbedded: config.EVENTSTORE_URL === undefined,
        skips: config.WEBHOOKS_AFTER_RESTORE === 'skip',
        rules,
        followers: (kept) =>
          [followers, integrating.followers, importing.followers].flatMap((of) => of(kept)),
        control,
        clock,
        log,
        lookMs: start.lookAtTimersMs,
      }),
    )
    closing.defer(() => timers.stop())
  }
  state = 'ready'
  identity.start()
  parts.integrating.start()
  if (config.ROLES.has('scheduler')) parts.importing.start()
  // Where something is kept in DATA_DIR, no other process can open it.
  if (config.EVENTSTORE_URL === undefined || config.MONGODB_URL === undefined)
    closing.defer(await listenForAdmin(config.DATA_DIR, identity.letIn))
  const readers = await readersOf({ ...start, ...engines, ...parts, notReady }, closing)
  return {
    url: publicUrl(),
    notificationUrl,
    company,
    async stop() {
      if (state === 'stopping') return
      state = 'stopping'
      await closing.disposeAsync()
    },
    letIn: identity.letIn,
    renewCertificate: () => [server, readers].forEach((one) => one?.renewCertificate()),
  }
}
