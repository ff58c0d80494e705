/**
 * The webhooks thread: it follows the events, fills the outbox, and sends what is due, away from the thread that serves. Of a
 * service that is one process it keeps the file of timers, too.
 *
 * The composition root of this thread, as `compose/start-service.ts` is of the process. What only the process has (the keys
 * of secrets, the read models, commands) it asks the main thread for; `compose/webhooks/webhooks.ts` is the other end.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { positionWaiters } from '../../domain/events/position-waiters.ts'
import { httpSender } from '../../adapters/http/sender.ts'
import { calls, type Calls } from '../../adapters/threads/calls.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import type { Company, Position } from '../../domain/events/event.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DeliveryLog, Resending } from '../../ports/delivery-log.ts'
import type { HintsStatus } from '../../ports/hints.ts'
import type { Endpoint } from '../../ports/outbox.ts'
import type { ParkedError, ProjectionStatus } from '../../ports/read-models.ts'
import type { SendAttempt, ToSend } from '../../ports/sending/send-attempt.ts'
import { followEvents, type Follower } from '../../projections/follow.ts'
import { addressRules, readRanges } from '../../webhooks/addresses.ts'
import { deliverer } from '../../webhooks/deliver.ts'
import { drains } from '../../webhooks/drain.ts'
import { fillOutbox, WEBHOOKS_PROJECTION, webhooksProjection } from '../../webhooks/fill-outbox.ts'
import { markedUpTo, marks } from '../../webhooks/marks.ts'
import { startRelay } from '../../webhooks/relay.ts'
import type { Schedule } from '../../webhooks/schedule.ts'
import { settler } from '../../webhooks/settle.ts'
import { slots } from '../../webhooks/slots.ts'
import { byTarget, targetOf, type Target } from '../../webhooks/targets.ts'
import { withInternal } from '../parts/definitions.ts'
import { openBroker } from '../webhooks/broker.ts'
import { settleAfterRestore } from '../webhooks/after-restore.ts'
import { openCheckpoint, openOutbox } from '../webhooks/outbox.ts'
import { openedSecrets } from '../webhooks/opened-secrets.ts'
import { openPast } from '../webhooks/past.ts'
import { keepTimers, type AskedOfTimers } from '../webhooks/timers.ts'
import { openSource, type SourceData } from '../source.ts'

export interface WebhooksData extends SourceData {
  /** Of the objects whose events are sent. */
  readonly definitions: readonly ObjectDefinition[]
  /** Where the outbox is, when it is not kept in `dataDir`. */
  readonly mongoUrl?: string | undefined
  readonly rabbitmqUrl?: string | undefined
  readonly rabbitmqPrefix: string
  readonly allowAddresses: readonly string[]
  readonly signatureHeader: string
  readonly schedule: Schedule
  readonly version: string
  readonly afterRestore: 'resend' | 'skip' | undefined
}

/** What this thread asks of the main thread. */
export interface AskedOfMain {
  visible(position: Position): Promise<boolean>
  openSecret(company: string, sealed: string): Promise<string>
  disable(endpoint: Endpoint, reason: string): Promise<void>
  mark(company: Company, endpoint: string, upTo: Position): Promise<void>
  /** Sends the thing of a stream to what is not a webhook, if it is still to be sent. */
  send(target: Target, company: Company, thing: ToSend): Promise<SendAttempt>
  trouble(message: string, detail: string): Promise<void>
}

/** What the main thread asks of this one. */
export interface AskedOfWebhooks extends DeliveryLog, Resending, AskedOfTimers {
  /** Resolves once the outbox is open: what happens from then on is sent, unless it says why it is held. */
  opened(): Promise<string | undefined>
  grown(): Promise<void>
  /** Reads show everything up to here. */
  shown(position: Position): Promise<void>
  hints(): Promise<HintsStatus>
  status(): Promise<readonly ProjectionStatus[]>
  resume(): Promise<void>
  stop(): Promise<void>
}

/** Deliveries under way at once. */
const AT_ONCE = { perName: 200, inAll: 600 }
const RETRY_MS = 1_000
/** The main thread says by itself when reads show the events of this process. */
const SHOWN_SOON_MS = 200
/** After this long a stop cuts off what is under way. */
const PATIENCE_MS = 2_000

const data = workerData as WebhooksData
const definitions = new Map(data.definitions.map((definition) => [definition.object, definition]))
const clock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }
const { promise: main, resolve: connect } = Promise.withResolvers<Calls>()
const ask = <Name extends keyof AskedOfMain>(name: Name, ...values: Parameters<AskedOfMain[Name]>) =>
  main.then((line) => line.call<Awaited<ReturnType<AskedOfMain[Name]>>>(name, ...values))

const onTrouble = (message: string, error: unknown) =>
  void ask('trouble', message, error instanceof Error ? error.message : String(error)).catch(() => {})

const rules = addressRules(readRanges(data.allowAddresses))
const sender = httpSender({
  mayConnect: (address, secure) => (secure ? rules.mayReach(address) : rules.isOpened(address)),
})

const events = await openSource(data, 'records')
const isShared = data.mongoUrl !== undefined
const checkpoint = await openCheckpoint(data)
const restored = settleAfterRestore({ ...data, checkpoint, events, onTrouble })
if (!isShared) await restored.begin()
const outbox = await openOutbox({ ...data, clock, onTrouble })
const broker = await openBroker({ ...data, onTrouble })
const journal = await openPast(data, events)
const timers = keepTimers(data.dataDir)

/** How far reads show everything, as far as this thread knows. */
const shown = positionWaiters()
const visible = async (position: Position) => {
  if (await shown.wait(position, data.eventStoreUrl === undefined ? SHOWN_SOON_MS : 0)) return true
  const isVisible = await ask('visible', position)
  if (isVisible) shown.reached(position)
  return isVisible
}

const disable = (endpoint: Endpoint, reason: string) => ask('disable', endpoint, reason)
const delivered = async (company: Company, endpoint: string) =>
  Math.max(restored.skipped(), await markedUpTo(events, company, endpoint))

const settling = settler({ outbox, onTrouble })
const marking = marks({
  outbox,
  mark: (company, endpoint, upTo) => ask('mark', company, endpoint, upTo),
  elapsed: clock.elapsed,
})
const sending = drains({
  outbox,
  async settle(outcome) {
    const failingMs = await settling.settle(outcome)
    if (!targetOf(outcome.endpoint)) marking.settled(outcome.endpoint)
    return failingMs
  },
  deliver: byTarget(
    deliverer({
      sender,
      openSecret: openedSecrets((...secret) => ask('openSecret', ...secret)),
      clock,
      signatureHeader: data.signatureHeader,
      userAgent: `Daybook-Webhooks/${data.version}`,
    }),
    { clock, attempts: data.schedule.length, send: (...thing) => ask('send', ...thing) },
  ),
  visible,
  disable,
  slots: slots(AT_ONCE),
  schedule: data.schedule,
  clock,
  random: Math.random,
  onTrouble,
})

// Only now: what the main thread says waits until someone listens, and all that it asks for is here.
connect(calls(parentPort!, { ...answering() }))
const relay = startRelay({
  definitions,
  events,
  journal,
  outbox,
  drains: {
    wake: (endpoint) => (restored.sends() ? sending.wake(endpoint) : restored.held() !== undefined),
    async drain(endpoint) {
      if (restored.held() !== undefined) return undefined
      return restored.sends() ? sending.drain(endpoint) : RETRY_MS
    },
  },
  broker,
  upkeep,
  onTrouble,
})

/** Resolves once it is known whether deliveries go on. */
const settled = isShared ? restored.watch() : undefined

let follower: Follower | undefined
let stopping = false

/** Tries again until it works, or the thread is stopped. */
async function untilDone<T>(message: string, work: () => Promise<T>): Promise<T | undefined> {
  while (!stopping)
    try {
      return await work()
    } catch (error) {
      if (stopping) break
      onTrouble(message, error)
      await delay(RETRY_MS)
    }
  return undefined
}
/** Other processes are notified whether the projection is parked; what could not be stored is stored with the next sweep. */
let shownError: ParkedError | undefined | null = null
let wantedError: ParkedError | undefined
function show(status: ProjectionStatus | undefined): void {
  wantedError = status?.error
  void storeShown().catch(() => {})
}
async function storeShown(): Promise<void> {
  const wanted = wantedError
  if (!outbox.control || !follower || (shownError?.message === wanted?.message && shownError !== null)) return
  await outbox.control.show(wanted)
  shownError = wanted
}
async function upkeep(): Promise<void> {
  await marking.store()
  if (!follower || !outbox.leads()) return
  await storeShown()
  if (await outbox.control?.isAskedToResume()) follower.resume(WEBHOOKS_PROJECTION)
}
const heldError = async (): Promise<ParkedError | undefined> => {
  const held = restored.held()
  return held === undefined ? undefined : { position: await outbox.position(), message: held, isPublic: true }
}
const follow = async () => {
  await outbox.leading()
  await outbox.open()
  if (isShared) await restored.begin()
  const error = await heldError()
  if (error) await outbox.control?.show(error)
  if (stopping || error) return
  follower = await followEvents({
    events,
    store: restored.following(
      fillOutbox({ definitions, events, outbox, delivered, onFilled: relay.filled, disable, onTrouble }),
    ),
    projections: [webhooksProjection(withInternal(definitions))],
    onStatus: ([status]) => show(status),
    onTrouble,
  })
}
const following = untilDone('webhooks cannot be followed for now', follow)

function answering(): AskedOfWebhooks {
  return {
    ...timers.answers,
    async opened() {
      await settled
      return restored.held()
    },
    grown: async () => events.grown(),
    shown: async (position) => shown.reached(position),
    hints: () => relay.hints(),
    reached: (position, timeoutMs) => outbox.reached(position, timeoutMs),
    health: (company, endpoints) => outbox.health(company, endpoints),
    list: (company, endpoint, query) => outbox.list(company, endpoint, query),
    get: (company, endpoint, id) => outbox.get(company, endpoint, id),
    replayed: (company, endpoint, id) => outbox.replayed(company, endpoint, id),
    async add(message, delivery) {
      await outbox.add(message, delivery)
      relay.filled([{ key: delivery.endpoint, company: delivery.company }])
    },
    async replay(replay) {
      const isTaken = await outbox.replay(replay)
      relay.sweepNow()
      return isTaken
    },
    async status() {
      const error = await heldError()
      if (error) return [{ name: WEBHOOKS_PROJECTION, position: error.position, state: 'parked', error }]
      if (follower && outbox.leads()) return follower.status()
      const shown = await outbox.control?.shown()
      const status = shown ?? ({ position: await outbox.position(), state: 'live' } as const)
      return [{ name: WEBHOOKS_PROJECTION, ...status }]
    },
    async resume() {
      if (follower && outbox.leads()) follower.resume(WEBHOOKS_PROJECTION)
      else await outbox.control?.askToResume()
    },
    async stop() {
      stopping = true
      events.grown()
      const cutOff = setTimeout(() => sender.close(), PATIENCE_MS)
      await Promise.all([relay.stop(), sending.stop()])
      clearTimeout(cutOff)
      sender.close()
      settling.stop()
      shown.close()
      await follower?.stop()
      await broker?.close()
      // One that waits for its turn to fill hears of the end by this.
      await outbox.close()
      await restored.close()
      await following
      await journal?.close()
      await timers.close()
      await events.close()
      setImmediate(() => parentPort!.close())
    },
  }
}
