/**
 * Webhooks, as the rest of the process has them: the thread that sends, what it asks of this one, and what the API asks
 * of it.
 */
import { lookup } from 'node:dns/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { calls, type Handlers } from '../adapters/threads/calls.ts'
import type { Log } from '../api/http/log.ts'
import type { Identifiers } from '../commands/support/identifiers.ts'
import type { WriteRecords } from '../commands/write-records.ts'
import { sharedOutbox } from './outbox.ts'
import type { AskedOfMain, AskedOfWebhooks, WebhooksData } from './threads/webhooks.ts'
import type { Config } from '../config.ts'
import type { Definitions } from '../domain/definition.ts'
import { Conflict, NotFound, Unavailable } from '../domain/errors.ts'
import { SYSTEM } from '../domain/events/event.ts'
import type { Sealer } from '../identity/secrets/sealed-secrets.ts'
import type { Clock } from '../ports/clock.ts'
import type { DeliveryLog } from '../ports/delivery-log.ts'
import type { Consumption, DeliveryQueue } from '../ports/delivery-queue.ts'
import type { ProjectionControl } from '../ports/projection-control.ts'
import type { ReadModels } from '../ports/read-models.ts'
import { addressRules, readRange, type AddressRules } from '../webhooks/addresses.ts'
import { webhookDefinition } from '../webhooks/objects.ts'
import { DEFAULT_SCHEDULE } from '../webhooks/schedule.ts'
import { secretOwner } from '../webhooks/signing.ts'

export interface WebhooksOptions {
  readonly config: Config
  readonly version: string
  /** Of the objects whose events are sent. */
  readonly definitions: Definitions
  readonly readModels: Pick<ReadModels, 'reached'>
  readonly queue: () => Promise<DeliveryQueue>
  /** Makes DATA_DIR this process's own, when the outbox is kept there. @throws Error when another process has it */
  readonly holdDataDir: () => void
  readonly write: Pick<WriteRecords, 'update'>
  readonly identifiers: Identifiers
  readonly clock: Clock
  readonly sealer: Sealer
  readonly log: Log
}

export interface Webhooks {
  readonly deliveries: DeliveryLog
  readonly control: ProjectionControl
  /** Where webhooks may be sent. */
  readonly rules: AddressRules
  /** Begins to follow and to send. */
  start(): Promise<void>
  /** Events were appended. */
  grown(): void
  stop(): Promise<void>
}

/** Endpoints that are sent to at once. */
const ENDPOINTS_AT_ONCE = 1_000
const VISIBLE_MS = 2_000
/** The thread is told of an event at once, and of those that follow within this time together. */
const TOLD_EVERY_MS = 20

export function webhooks(options: WebhooksOptions): Webhooks {
  const { config, readModels, queue, write, identifiers, clock, sealer, log } = options
  let thread: { readonly line: ReturnType<typeof calls>; readonly ended: Promise<void> } | undefined
  let consumption: Consumption | undefined
  let resting: NodeJS.Timeout | undefined
  let hasGrown = false
  const shared = sharedOutbox({
    mongoUrl: config.MONGODB_URL,
    clock,
    onTrouble: (message, error) =>
      log.warn({ detail: error instanceof Error ? error.message : String(error) }, message),
  })

  const asked: AskedOfMain = {
    visible: (position) => readModels.reached(position, VISIBLE_MS),
    openSecret: async (company, sealed) => sealer.open(sealed, secretOwner(company)),
    enqueue: async (deliveries) => (await queue()).enqueue(deliveries),
    async disable({ key, company, url }, reason) {
      log.warn({ webhook: key, company, url: new URL(url).origin }, `a webhook is disabled: ${reason}`)
      const command = identifiers.newCommand()
      const caller = { company, actor: SYSTEM, correlation: command, command, reason }
      const body = {
        IsActive: false,
        DisabledReason: reason,
        DisabledAt: new Date(clock.now()).toISOString(),
      }
      try {
        await write.update(caller, { definition: webhookDefinition, key, body, writing: 'merge' })
      } catch (error) {
        if (!(error instanceof NotFound)) throw error
      }
    },
    trouble: async (message, detail) => log.error({ detail }, message),
  }

  const ask = <Name extends keyof AskedOfWebhooks>(
    name: Name,
    ...values: Parameters<AskedOfWebhooks[Name]>
  ): ReturnType<AskedOfWebhooks[Name]> => {
    const answer = thread
      ? thread.line.call(name, ...values)
      : Promise.reject(new Unavailable('webhooks are not running'))
    return answer as ReturnType<AskedOfWebhooks[Name]>
  }

  /** What the API asks, asked of this process's thread; where it has none, of the outbox that others share. */
  const askLog = async <Name extends keyof DeliveryLog>(
    name: Name,
    ...values: Parameters<DeliveryLog[Name]>
  ): Promise<Awaited<ReturnType<DeliveryLog[Name]>>> => {
    const outbox: DeliveryLog | undefined = thread ? undefined : await shared.open()
    const asked = outbox?.[name] as ((...values: Parameters<DeliveryLog[Name]>) => unknown) | undefined
    return (await (asked ? asked(...values) : ask(name, ...(values as never)))) as never
  }

  const tellGrown = () => {
    hasGrown = false
    resting = setTimeout(() => {
      resting = undefined
      if (hasGrown) tellGrown()
    }, TOLD_EVERY_MS).unref()
    setImmediate(() => void ask('grown').catch(() => {}))
  }

  const start = async () => {
    if (config.MONGODB_URL === undefined) options.holdDataDir()
    const data: WebhooksData = {
      dataDir: config.DATA_DIR,
      mongoUrl: config.MONGODB_URL,
      eventStoreUrl: config.EVENTSTORE_URL,
      definitions: [...options.definitions.values()],
      allowAddresses: config.WEBHOOK_ALLOW_ADDRESSES,
      signatureHeader: config.WEBHOOK_SIGNATURE_HEADER,
      schedule: config.WEBHOOK_SCHEDULE ?? DEFAULT_SCHEDULE,
      version: options.version,
    }
    const worker = new Worker(new URL('./threads/webhooks.ts', import.meta.url), { workerData: data })
    const line = calls(worker, asked as unknown as Handlers)
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
    worker.on('error', (error) => log.error({ err: error }, 'the webhooks thread has failed'))
    void ended.then(() => line.cut())
    thread = { line, ended }
    consumption = (await queue()).consume({
      concurrency: ENDPOINTS_AT_ONCE,
      handle: (hint) => ask('drain', hint),
      abandoned: async ({ endpoint }) =>
        log.error({ endpoint }, 'a hint failed too often; the next sweep of the outbox makes another'),
    })
  }

  return {
    deliveries: {
      reached: (position, timeoutMs) => askLog('reached', position, timeoutMs),
      // Webhooks can be listed where nobody knows how they do.
      health: async (company, endpoints) =>
        thread || config.MONGODB_URL !== undefined ? askLog('health', company, endpoints) : [],
      list: (company, endpoint, query) => askLog('list', company, endpoint, query),
      get: (company, endpoint, id) => askLog('get', company, endpoint, id),
      async add(message, delivery) {
        await askLog('add', message, delivery)
        // Those that send look at once; without a queue between the processes their next sweep finds it.
        if (thread || config.RABBITMQ_URL === undefined) return
        const { endpoint, company } = delivery
        await asked.enqueue([{ id: endpoint, endpoint, company }]).catch(() => {})
      },
      replay: (replay) => askLog('replay', replay),
    },
    control: {
      status: async () => (thread ? ask('status') : []),
      rebuild: async () => {
        throw new Conflict('what was sent cannot be built anew; a webhook can replay the past instead')
      },
      resume: () => ask('resume'),
    },
    rules: addressRules(config.WEBHOOK_ALLOW_ADDRESSES.map(readRange).filter((range) => range !== undefined)),
    start,
    grown() {
      if (!thread) return
      hasGrown = true
      if (!resting) tellGrown()
    },
    async stop() {
      await shared.close()
      clearTimeout(resting)
      if (!thread) return
      const { ended } = thread
      const stopped = ask('stop').catch(() => {})
      await Promise.all([consumption?.stop(), stopped])
      await ended
      thread = undefined
    },
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
