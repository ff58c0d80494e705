/**
 * The webhooks thread: which events it follows, where its outbox is, and by which broker it shares its work. Of a service that
 * is one process it keeps the file of timers, too. `compose/webhooks/webhooks.ts` is the other end.
 */
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { httpSender } from '../../adapters/http/sender.ts'
import { sqliteTimers } from '../../adapters/sqlite/timers/timers.ts'
import { calls, type Calls } from '../../adapters/threads/calls.ts'
import { messageOf } from '../../domain/errors.ts'
import type { ObjectDefinition } from '../../domain/definition.ts'
import type { Clock } from '../../ports/clock.ts'
import { addressRules, readRanges } from '../../webhooks/addresses.ts'
import type { Schedule } from '../../webhooks/schedule.ts'
import { settleAfterRestore } from '../../webhooks/thread/after-restore.ts'
import type { AskedOfMain, AskedOfWebhooks } from '../../webhooks/thread/asked.ts'
import { keepTimers } from '../../webhooks/thread/timers.ts'
import { webhooksWork } from '../../webhooks/thread/work.ts'
import { withInternal } from '../parts/definitions.ts'
import { openSource, type SourceData } from '../source.ts'
import { openBroker } from '../webhooks/broker.ts'
import { openCheckpoint, openOutbox } from '../webhooks/outbox.ts'
import { openPast } from '../webhooks/past.ts'

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

const data = workerData as WebhooksData
const definitions = new Map(data.definitions.map((definition) => [definition.object, definition]))
const clock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }
const { promise: main, resolve: connect } = Promise.withResolvers<Calls>()
const ask = <Name extends keyof AskedOfMain>(name: Name, ...values: Parameters<AskedOfMain[Name]>) =>
  main.then((line) => line.call<Awaited<ReturnType<AskedOfMain[Name]>>>(name, ...values))
const onTrouble = (message: string, error: unknown) =>
  void ask('trouble', message, messageOf(error)).catch(() => {})

const rules = addressRules(readRanges(data.allowAddresses))
const events = await openSource(data, 'records')
const isShared = data.mongoUrl !== undefined
const checkpoint = await openCheckpoint(data)
const restored = settleAfterRestore({ ...data, checkpoint, events, onTrouble })
if (!isShared) await restored.begin()
const outbox = await openOutbox({ ...data, clock, onTrouble })
const timers = keepTimers(() => sqliteTimers(join(data.dataDir, 'timers.db')))
const work = webhooksWork({
  ...data,
  definitions,
  all: withInternal(definitions),
  events,
  saysShown: data.eventStoreUrl === undefined,
  outbox,
  isShared,
  restored,
  broker: await openBroker({ ...data, onTrouble }),
  journal: await openPast(data, events),
  sender: httpSender({
    mayConnect: (address, secure) => (secure ? rules.mayReach(address) : rules.isOpened(address)),
  }),
  main: {
    visible: (...values) => ask('visible', ...values),
    openSecret: (...values) => ask('openSecret', ...values),
    disable: (...values) => ask('disable', ...values),
    mark: (...values) => ask('mark', ...values),
    send: (...values) => ask('send', ...values),
  },
  clock,
  onTrouble,
})

const answers: AskedOfWebhooks = {
  ...work,
  ...timers.answers,
  async stop() {
    await work.stop()
    await timers.close()
    await events.close()
    setImmediate(() => parentPort!.close())
  },
}
// Only now: what the main thread says waits until someone listens, and all that it asks for is here.
connect(calls(parentPort!, { ...answers }))
