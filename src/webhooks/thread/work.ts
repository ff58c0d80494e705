/**
 * The work of the webhooks thread: it follows the events, fills the outbox, and sends what is due, away from the thread that
 * serves. What only the process has (the keys of secrets, the read models, commands) it asks the main thread for.
 */
import type { Definitions } from '../../domain/definition.ts'
import type { Position } from '../../domain/events/event.ts'
import { positionWaiters } from '../../domain/events/position-waiters.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { Hints } from '../../ports/hints.ts'
import type { HttpSender } from '../../ports/http-sender.ts'
import type { EventRanges } from '../../ports/journal.ts'
import type { Outbox } from '../../ports/outbox.ts'
import { deliverer } from '../deliver.ts'
import { drains } from '../drain.ts'
import { marks } from '../marks.ts'
import { startRelay } from '../relay.ts'
import type { Schedule } from '../schedule.ts'
import { settler } from '../settle.ts'
import { slots } from '../slots.ts'
import { byTarget, targetOf } from '../targets.ts'
import type { AfterRestore } from './after-restore.ts'
import type { AskedOfMain, AskedOfWebhooks } from './asked.ts'
import { Filling } from './filling.ts'
import { openedSecrets } from './opened-secrets.ts'

export interface WebhooksWorkOptions {
  /** Of the objects whose events are sent. */
  readonly definitions: Definitions
  /** Of those that the service keeps for itself, too. */
  readonly all: Definitions
  readonly events: Pick<EventStore, 'head' | 'read' | 'subscribe' | 'close'> & { grown(): void }
  /** Only this process appends to them, and says when reads show what it appended. */
  readonly saysShown: boolean
  readonly outbox: Outbox
  /** Other processes fill the outbox in turn. */
  readonly isShared: boolean
  readonly restored: AfterRestore
  readonly broker: Hints | undefined
  readonly journal: EventRanges | undefined
  readonly sender: HttpSender
  readonly main: Omit<AskedOfMain, 'trouble'>
  readonly signatureHeader: string
  readonly schedule: Schedule
  readonly version: string
  readonly clock: Clock
  readonly onTrouble: (message: string, error: unknown) => void
}

/** Deliveries under way at once. */
const AT_ONCE = { perName: 200, inAll: 600 }
const RETRY_MS = 1_000
/** The main thread says by itself when reads show the events of this process. */
const SHOWN_SOON_MS = 200
/** After this long a stop cuts off what is under way. */
const PATIENCE_MS = 2_000

/** Begins at once. What it answers but `timers` is asked of the thread; `stop` closes all that it was given. */
export function webhooksWork(options: WebhooksWorkOptions) {
  const { definitions, events, outbox, isShared, restored, broker, journal, sender, main, onTrouble } =
    options
  const shown = visibility(options)
  const settling = settler({ outbox, onTrouble })
  const marking = marks({ outbox, mark: main.mark, elapsed: options.clock.elapsed })
  const sending = drains({
    ...options,
    async settle(outcome) {
      const failingMs = await settling.settle(outcome)
      if (!targetOf(outcome.endpoint)) marking.settled(outcome.endpoint)
      return failingMs
    },
    deliver: deliveryOf(options),
    visible: shown.visible,
    disable: main.disable,
    slots: slots(AT_ONCE),
    random: Math.random,
  })
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
    async upkeep() {
      await marking.store()
      await filling.upkeep()
    },
    onTrouble,
  })
  /** Resolves once it is known whether deliveries go on. */
  const settled = isShared ? restored.watch() : undefined
  const filling = new Filling({ ...options, filled: relay.filled, disable: main.disable })

  const stop = async () => {
    filling.stopping()
    events.grown()
    const cutOff = setTimeout(() => sender.close(), PATIENCE_MS)
    await Promise.all([relay.stop(), sending.stop()])
    clearTimeout(cutOff)
    sender.close()
    settling.stop()
    shown.close()
    await filling.stop(async () => {
      await broker?.close()
      await outbox.close()
      await restored.close()
    })
    await journal?.close()
  }
  return { ...answersOf(options, { shown, relay, filling, settled }), stop }
}

interface Parts {
  readonly shown: ReturnType<typeof visibility>
  readonly relay: ReturnType<typeof startRelay>
  readonly filling: Filling
  readonly settled: Promise<void> | undefined
}

type Answers = Omit<
  AskedOfWebhooks,
  'stop' | 'timerPosition' | 'lastOfTimers' | 'storeTimers' | 'dueTimers' | 'recordsWithTimers'
>

function answersOf(
  { events, outbox, restored }: WebhooksWorkOptions,
  { shown, relay, filling, settled }: Parts,
): Answers {
  return {
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
    status: () => filling.status(),
    resume: () => filling.resume(),
  }
}

/** How far reads show everything, as far as this thread knows. */
function visibility({ main, saysShown }: WebhooksWorkOptions) {
  const waiters = positionWaiters()
  return {
    reached: waiters.reached,
    close: waiters.close,
    async visible(position: Position) {
      if (await waiters.wait(position, saysShown ? SHOWN_SOON_MS : 0)) return true
      const isVisible = await main.visible(position)
      if (isVisible) waiters.reached(position)
      return isVisible
    },
  }
}

function deliveryOf({ sender, main, clock, signatureHeader, schedule, version }: WebhooksWorkOptions) {
  return byTarget(
    deliverer({
      sender,
      openSecret: openedSecrets(main.openSecret),
      clock,
      signatureHeader,
      userAgent: `Daybook-Webhooks/${version}`,
    }),
    { clock, attempts: schedule.length, send: main.send },
  )
}
