/**
 * Webhooks, as the rest of the process has them: what the API asks of them, and how they stand. A process with the role
 * `webhooks` has a thread that sends; one without it asks the outbox that those processes share, if there is one.
 */
import { Worker } from 'node:worker_threads'
import { keptLine, type KeptLine } from '../../adapters/threads/kept-line.ts'
import type { Config } from '../../config.ts'
import { messageOf } from '../../domain/errors.ts'
import type { Definitions } from '../../domain/definition.ts'
import type { Position } from '../../domain/events/event.ts'
import type { DeliveryLog, Resending } from '../../ports/delivery-log.ts'
import type { Hints } from '../../ports/hints.ts'
import type { ProjectionControl } from '../../ports/projection-control.ts'
import type { Timers } from '../../ports/timers.ts'
import { addressRules, readRanges, type AddressRules } from '../../webhooks/addresses.ts'
import { DEFAULT_SCHEDULE } from '../../webhooks/schedule.ts'
import { answersOf, type AnswersOptions } from '../../webhooks/thread/answers.ts'
import type { AskedOfWebhooks } from '../../webhooks/thread/asked.ts'
import { controlOf } from '../../webhooks/thread/control.ts'
import { deliveriesOf } from '../../webhooks/thread/deliveries.ts'
import { hintsView, type HintsView } from '../../webhooks/thread/hints-view.ts'
import { notifyThread } from '../../webhooks/thread/notify-thread.ts'
import { timersOf } from '../../webhooks/thread/timers.ts'
import type { WebhooksData } from '../threads/webhooks.ts'
import { openBroker } from './broker.ts'
import { sharedOutbox } from './outbox.ts'

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

/** What following makes is garbage at once: without a limit V8 keeps some 50 MB of room for it. */
const MEMORY = { maxYoungGenerationSizeMb: 8 }

export function webhooks(options: WebhooksOptions): Webhooks {
  const { config, readModels, clock, log } = options
  let link: KeptLine<AskedOfWebhooks> | undefined
  const onTrouble = (message: string, error: unknown) => log.warn({ detail: messageOf(error) }, message)
  const shared = sharedOutbox({ mongoUrl: config.MONGODB_URL, clock, onTrouble })
  const broker = brokerOf(config, onTrouble)
  let disabled = 0
  const notifying = notifyThread(() => link, readModels)

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
      const start = () =>
        new Worker(new URL('../threads/webhooks.ts', import.meta.url), {
          name: 'webhooks',
          workerData: threadData(options),
          resourceLimits: MEMORY,
        })
      const { onFatal } = options
      link = await keptLine({ what: 'the webhooks thread', start, asked: { ...asked }, log, onFatal })
    },
    grown: notifying.grown,
    async stop() {
      notifying.stop()
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

/** A connection of this process, for hints about what its API was asked to send; opened when it is first wanted. */
function brokerOf(config: Config, onTrouble: (message: string, error: unknown) => void) {
  const { RABBITMQ_URL: rabbitmqUrl, RABBITMQ_PREFIX: rabbitmqPrefix } = config
  let opened: Promise<Hints | undefined> | undefined
  return {
    open: () => (opened ??= openBroker({ rabbitmqUrl, rabbitmqPrefix, onTrouble })),
    opened: async () => opened,
  }
}
