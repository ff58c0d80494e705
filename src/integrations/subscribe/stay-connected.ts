/**
 * The connection of an integration to its broker, made again whenever it ends. A message is acknowledged once its row of the inbox is on
 * the disk. What comes for one that is paused is taken all the same, and applied later.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { Unavailable, messageOf } from '../../domain/errors.ts'
import { TakenOver, type MessageSource, type PublishedMessage } from '../../ports/sources/message-source.ts'
import type { IntegrationDefinition } from '../definition/integration-schema.ts'
import type { Received } from '../definition/receive-schema.ts'
import { isTaking, type Integration } from '../integration.ts'
import { loadIntegration, type IntegrationWork } from '../work.ts'
import { deliveredOf } from './deliveries.ts'
import { subscriptionOf } from './subscription-of.ts'

export interface Connecting {
  readonly work: IntegrationWork
  readonly source: MessageSource
  readonly isFull: (integration: string) => Promise<boolean>
  readonly stopping: AbortSignal
}

/** The part of an integration that fails where there is no connection. */
const PART = 'subscribe'
/** A restart of the broker takes a moment and is not worth a word. */
const FAILING_AFTER = 3
/** How soon a change of the integration is seen. */
const WATCH_MS = 1_000
const FULL_MS = 1_000
const AGAIN_MS = { first: 1_000, most: 60_000 }
/** Another process has the connection: it may be gone by then. */
const TAKEN_OVER_MS = 300_000
/** A connection that held as long begins with the first wait again: two processes that take it from each other do it seldom. */
const HELD_MS = 600_000

/** Resolves when the integration is off; the broker need keep nothing for it then. @throws when that cannot be said to the broker */
export async function stayConnected(connecting: Connecting, company: string, key: string): Promise<void> {
  const { work, source, stopping } = connecting
  let wait = AGAIN_MS.first
  let failed = 0
  let last: { readonly integration: Integration; readonly file: IntegrationDefinition } | undefined
  while (!stopping.aborted) {
    const integration = await loadIntegration(work, company, key)
    const file = work.files.get(integration?.definition ?? '')
    if (!integration || !file?.subscribe || !isTaking(integration)) {
      if (last) await source.forget(subscriptionOf(work, last.integration, last.file))
      return
    }
    last = { integration, file }
    const began = work.clock.now()
    try {
      await connectOnce(connecting, integration, file, () => (failed = 0))
      wait = AGAIN_MS.first
    } catch (error) {
      if (stopping.aborted) return
      const reason = messageOf(error)
      if (++failed >= FAILING_AFTER) await work.health.trouble(integration, PART, reason)
      if (work.clock.now() - began > HELD_MS) wait = AGAIN_MS.first
      const rest = error instanceof TakenOver ? TAKEN_OVER_MS : wait
      wait = Math.min(wait * 2, AGAIN_MS.most)
      // A change of the integration may be what was missing.
      await untilChanged(work, integration, stopping, rest * (0.5 + Math.random()))
    }
  }
}

/** Until the integration is another, or the service stops. @throws Error saying why the connection has ended */
async function connectOnce(
  { work, source, isFull, stopping }: Connecting,
  integration: Integration,
  file: IntegrationDefinition,
  connected: () => void,
): Promise<void> {
  const subscription = subscriptionOf(work, integration, file)
  const entry = file.receive.find(({ name }) => name === file.subscribe!.as)!
  const changed = new AbortController()
  const signal = AbortSignal.any([stopping, changed.signal])
  const take = async (messages: readonly PublishedMessage[]) => {
    while (await isFull(integration.key)) await delay(FULL_MS, undefined, { signal })
    await keep(work, integration, entry, messages)
  }
  const subscribed = () => {
    connected()
    // It is said again with the next connection.
    work.health.well(integration, PART).catch(() => {})
  }
  const watching = untilChanged(work, integration, signal).then(() => changed.abort())
  try {
    await source.receive(subscription, { subscribed, take }, signal)
  } finally {
    changed.abort()
    await watching
  }
}

/** Resolves when the integration is not as it was, the time is over, or it is aborted. */
async function untilChanged(
  work: IntegrationWork,
  integration: Integration,
  signal: AbortSignal,
  ms = Infinity,
): Promise<void> {
  for (let waited = 0; waited < ms && !signal.aborted; waited += WATCH_MS) {
    const step = Math.min(WATCH_MS, ms - waited)
    await delay(step, undefined, { signal, ref: false }).catch(() => {})
    const now = await loadIntegration(work, integration.company, integration.key).catch((error: unknown) => {
      if (!(error instanceof Unavailable)) throw error
      return integration
    })
    if (!now || connectsBy(now) !== connectsBy(integration)) return
  }
}

const connectsBy = ({ baseUrl, settings, credentials, state }: Integration) =>
  JSON.stringify([baseUrl, settings, credentials, isTaking({ state })])

async function keep(
  work: IntegrationWork,
  integration: Integration,
  entry: Received,
  messages: readonly PublishedMessage[],
): Promise<void> {
  const delivered = messages.map((message) => deliveredOf(work, integration, entry, message))
  const isNew = await work.inbox.keep(delivered.map(({ arrival }) => arrival))
  const others = delivered.flatMap(({ another }, index) => (isNew[index] || !another ? [] : [another()]))
  if (others.length > 0) await work.inbox.keep(others)
  work.grown()
}
