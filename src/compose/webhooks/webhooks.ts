/**
 * Webhooks, as the rest of the process has them: what the API asks of them, and how they stand. A process with the role
 * `webhooks` has a thread that sends; one without it asks the outbox that those processes share, if there is one.
 */
import { lookup } from 'node:dns/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../config.ts'
import type { Definitions } from '../../domain/definition.ts'
import { Conflict, Unavailable } from '../../domain/errors.ts'
import type { Position } from '../../domain/events/event.ts'
import type { DeliveryLog, Resending } from '../../ports/delivery-log.ts'
import type { Hints, HintsStatus } from '../../ports/hints.ts'
import type { OutboxControl } from '../../ports/outbox.ts'
import type { ProjectionControl } from '../../ports/projection-control.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { Timers } from '../../ports/timers.ts'
import { addressRules, readRanges, type AddressRules } from '../../webhooks/addresses.ts'
import { WEBHOOKS_PROJECTION } from '../../webhooks/fill-outbox.ts'
import { DEFAULT_SCHEDULE } from '../../webhooks/schedule.ts'
import { openBroker } from './broker.ts'
import { sharedOutbox } from './outbox.ts'
import type { WebhooksData } from '../threads/webhooks.ts'
import { answersOf, VISIBLE_MS, type AnswersOptions } from './answers.ts'
import { recordsShow } from '../../projections/records-show.ts'
import { linkWebhooks, type WebhooksLink } from './link.ts'
import { timersOf } from './timers.ts'

export interface WebhooksOptions extends Omit<AnswersOptions, 'onDisabled'> {
  readonly config: Config
  readonly version: string
  /** Of the objects whose events are sent. */
  readonly definitions: Definitions
  /** Makes DATA_DIR this process's own, when the outbox is kept there. @throws Error when another process has it */
  readonly holdDataDir: () => void
  readonly onFatal: (reason: string) => void
}

export interface Webhooks {
  readonly deliveries: DeliveryLog & Resending
  readonly control: ProjectionControl
  readonly hints: HintsView
  /** Of a process that shares them with no other. */
  readonly timers: Timers
  /** Where webhooks may be sent. */
  readonly rules: AddressRules
  /** Begins to follow and to send. @throws Error when its thread cannot be started */
  start(): Promise<void>
  /** Events were appended, up to this position. */
  grown(head: Position): void
  /** Why nothing is sent by this process although it should; undefined: it is, or another does. */
  failure(): string | undefined
  /** How many webhooks this process has disabled, because nothing arrived. */
  disabled(): number
  /** Why deliveries are held although the service is ready: the operator has to decide. */
  held(): string | undefined
  stop(): Promise<void>
}

/** How the broker stands, for operators. */
export interface HintsView {
  /** Undefined in a process that neither sends nor has a broker. Never rejects, and answers within a few seconds. */
  status(): Promise<HintsStatus | undefined>
  /** Its state when it was last looked at, and has it looked at again: for those who must not wait. */
  lastState(): HintsStatus['state'] | undefined
}

/** The thread is notified of an event at once, and of those that follow within this time together. */
const TOLD_EVERY_MS = 50

export function webhooks(options: WebhooksOptions): Webhooks {
  const { config, readModels, clock, log } = options
  let link: WebhooksLink | undefined
  const onTrouble = (message: string, error: unknown) =>
    log.warn({ detail: error instanceof Error ? error.message : String(error) }, message)
  const shared = sharedOutbox({ mongoUrl: config.MONGODB_URL, clock, onTrouble })
  const broker = brokerOf(config, onTrouble)
  let disabled = 0
  const telling = tellThread(() => link, readModels)

  return {
    deliveries: deliveriesOf({
      link: () => link,
      // Webhooks can be listed where nobody knows how they do.
      knowsHealth: () => link !== undefined || config.MONGODB_URL !== undefined,
      shared: shared.open,
      // Those that send look at once; without a broker their next sweep finds it.
      publish: async (hint) => (await broker.open())?.publish([hint]),
    }),
    control: controlOf(
      () => link,
      async () => (await shared.open())?.control,
    ),
    timers: timersOf(() => link),
    disabled: () => disabled,
    failure: () => link?.failure(),
    held: () => link?.held(),
    hints: hintsView(async () => (link ? link.call('hints') : (await broker.opened())?.status())),
    rules: addressRules(readRanges(config.WEBHOOK_ALLOW_ADDRESSES)),
    async start() {
      if (config.MONGODB_URL === undefined) options.holdDataDir()
      const asked = answersOf({ ...options, onDisabled: () => disabled++ })
      link = await linkWebhooks({ data: threadData(options), asked, log, onFatal: options.onFatal })
    },
    grown: telling.grown,
    async stop() {
      telling.stop()
      await shared.close()
      await link?.stop()
      await (await broker.opened())?.close()
      link = undefined
    },
  }
}

function threadData({ config, definitions, version }: WebhooksOptions): WebhooksData {
  return {
    dataDir: config.DATA_DIR,
    mongoUrl: config.MONGODB_URL,
    rabbitmqUrl: config.RABBITMQ_URL,
    rabbitmqPrefix: config.RABBITMQ_PREFIX,
    eventStoreUrl: config.EVENTSTORE_URL,
    definitions: [...definitions.values()],
    allowAddresses: config.WEBHOOK_ALLOW_ADDRESSES,
    signatureHeader: config.WEBHOOK_SIGNATURE_HEADER,
    schedule: config.WEBHOOK_SCHEDULE ?? DEFAULT_SCHEDULE,
    version,
    afterRestore: config.WEBHOOKS_AFTER_RESTORE,
  }
}

interface DeliveriesOptions {
  readonly link: () => WebhooksLink | undefined
  readonly knowsHealth: () => boolean
  /** The outbox of other processes; undefined: there is none. */
  readonly shared: () => Promise<DeliveryLog & Resending> | undefined
  readonly publish: (hint: { readonly endpoint: string; readonly company: string }) => Promise<void>
}

/** What the API asks, asked of this process's thread; where it has none, of the outbox that others share. */
function deliveriesOf({ link, knowsHealth, shared, publish }: DeliveriesOptions): DeliveryLog & Resending {
  const there = async (): Promise<DeliveryLog & Resending> => {
    const thread = link()
    if (thread) return overLine(thread)
    const outbox = await shared()
    if (!outbox) throw new Unavailable('Webhooks are not running in this process.')
    return outbox
  }
  return {
    reached: async (position, timeoutMs) => (await there()).reached(position, timeoutMs),
    health: async (company, endpoints) => (knowsHealth() ? (await there()).health(company, endpoints) : []),
    list: async (company, endpoint, query) => (await there()).list(company, endpoint, query),
    get: async (company, endpoint, id) => (await there()).get(company, endpoint, id),
    replayed: async (company, endpoint, id) => (await there()).replayed(company, endpoint, id),
    async add(message, delivery) {
      await (await there()).add(message, delivery)
      if (!link()) await publish({ endpoint: delivery.endpoint, company: delivery.company }).catch(() => {})
    },
    replay: async (replay) => (await there()).replay(replay),
  }
}

function overLine(link: WebhooksLink): DeliveryLog & Resending {
  return {
    reached: (position, timeoutMs) => link.call('reached', position, timeoutMs),
    health: (company, endpoints) => link.call('health', company, endpoints),
    list: (company, endpoint, query) => link.call('list', company, endpoint, query),
    get: (company, endpoint, id) => link.call('get', company, endpoint, id),
    replayed: (company, endpoint, id) => link.call('replayed', company, endpoint, id),
    add: (message, delivery) => link.call('add', message, delivery),
    replay: (replay) => link.call('replay', replay),
  }
}

function controlOf(
  link: () => WebhooksLink | undefined,
  shared: () => Promise<OutboxControl | undefined>,
): ProjectionControl {
  const name = WEBHOOKS_PROJECTION
  let last: Position = 0
  return {
    async status() {
      const thread = link()
      if (!thread) {
        const shown = await (await shared())?.shown()
        return shown ? [{ name, ...shown }] : []
      }
      const failure = thread.failure()
      if (failure !== undefined)
        return [{ name, position: last, state: 'parked', error: { position: last, message: failure } }]
      const statuses = await thread.call('status')
      for (const { position } of statuses) last = position
      return statuses
    },
    rebuild: async () => {
      throw new Conflict('What was sent cannot be rebuilt. A webhook can replay the past instead.')
    },
    async resume() {
      const thread = link()
      if (thread) await thread.call('resume')
      else await (await shared())?.askToResume()
    },
  }
}

/** A connection of this process, for hints about what its API was asked to send; opened when it is first wanted. */
function brokerOf(config: Config, onTrouble: (message: string, error: unknown) => void) {
  const { RABBITMQ_URL: rabbitmqUrl, RABBITMQ_PREFIX: rabbitmqPrefix } = config
  let opened: Promise<Hints | undefined> | undefined
  return {
    open: () => (opened ??= openBroker({ rabbitmqUrl, rabbitmqPrefix, onTrouble })),
    opened: async () => opened,
  }
}

function hintsView(look: () => Promise<HintsStatus | undefined>): HintsView {
  let last: HintsStatus | undefined
  let looking: Promise<HintsStatus | undefined> | undefined
  const status = () =>
    (looking ??= look()
      .catch(() => undefined)
      .then((found) => (last = found))
      .finally(() => (looking = undefined)))
  return {
    status,
    lastState() {
      void status()
      return last?.state
    },
  }
}

/** Notifies the thread of events, and when reads show them: two messages for each burst, and no answers. */
function tellThread(
  link: () => WebhooksLink | undefined,
  readModels: Pick<ReadModels, 'reached' | 'status'>,
) {
  let head: Position = 0
  let told: Position = 0
  let isShowing = false
  let resting: NodeJS.Timeout | undefined

  const show = async () => {
    isShowing = true
    for (let shown: Position = 0; shown < head;) {
      const wanted = head
      if (!(await recordsShow(readModels, wanted, VISIBLE_MS).catch(() => false))) break
      link()?.send('shown', (shown = wanted))
    }
    isShowing = false
  }
  const tell = () => {
    told = head
    resting = setTimeout(() => {
      resting = undefined
      if (told < head) tell()
    }, TOLD_EVERY_MS).unref()
    setImmediate(() => link()?.send('grown'))
    if (!isShowing) void show()
  }
  return {
    grown(position: Position) {
      if (!link()) return
      head = Math.max(head, position)
      if (!resting && told < head) tell()
    },
    stop: () => clearTimeout(resting),
  }
}

const RESOLVE_MS = 1_000

/** The addresses of a host; empty when they cannot be found out soon. */
export async function resolveHost(host: string): Promise<readonly string[]> {
  const found = lookup(host, { all: true }).then(
    (all) => all.map(({ address }) => address),
    () => [],
  )
  return Promise.race([found, delay(RESOLVE_MS, [], { ref: false })])
}
