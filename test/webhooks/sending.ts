/**
 * Sending in virtual time: a real outbox, real drains and signatures; the clock, the receivers and the randomness are the
 * test's. An attempt takes no time unless the receiver lets it pass.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { sqliteOutbox } from '../../src/adapters/sqlite/outbox/outbox.ts'
import type { Post, PostOutcome } from '../../src/ports/http-sender.ts'
import type { Endpoint, Outbox } from '../../src/ports/outbox.ts'
import type { SendAttempt, ToSend } from '../../src/ports/sending/send-attempt.ts'
import { deliverer } from '../../src/webhooks/deliver.ts'
import { drains, type Drains } from '../../src/webhooks/drain.ts'
import { deliveryOf, messageId } from '../../src/webhooks/messages.ts'
import { DEFAULT_SCHEDULE, type Schedule } from '../../src/webhooks/schedule.ts'
import { settler } from '../../src/webhooks/settle.ts'
import { byTarget, type Target } from '../../src/webhooks/targets.ts'
import { slots } from '../../src/webhooks/slots.ts'
import { COMPANY, endpointOf } from '../support/endpoints.ts'
import { newFolder } from '../support/service.ts'

export interface Seen extends Post {
  /** Virtual milliseconds since the beginning. */
  readonly at: number
}

export interface Sending {
  readonly outbox: Outbox
  readonly drains: Drains
  readonly seen: readonly Seen[]
  readonly disabled: readonly { readonly key: string; readonly reason: string }[]
  readonly trouble: readonly string[]
  /** Virtual milliseconds since the beginning. */
  now(): number
  pass(ms: number): void
  endpoint(key: string, more?: Partial<Endpoint>): Promise<Endpoint>
  /** Stores a message for these endpoints. */
  send(record: string, version: number, to: readonly string[], company?: string): Promise<string>
  /** Drains the endpoint, and lets the time pass that it asks for, until there is nothing more or `until` has come. */
  work(key: string, until?: number): Promise<void>
  close(): Promise<void>
}

const START = Date.parse('2026-11-21T12:00:00Z')

export async function startSending(
  answer: (post: Seen, sending: Sending) => PostOutcome | Promise<PostOutcome>,
  {
    schedule = DEFAULT_SCHEDULE,
    between = (outbox) => outbox,
    atOnce = 600,
    visible = async () => true,
    sendTo = async () => ({ isOver: true, isSent: true, detail: '250 ok' }),
  }: {
    /** What is no webhook. */
    sendTo?: (target: Target, company: string, thing: ToSend) => Promise<SendAttempt>
    schedule?: Schedule
    /** Comes between the drains and their outbox. */
    between?: (outbox: Outbox) => Outbox
    /** Deliveries under way at once. */
    atOnce?: number
    /** Whether reads show an event. */
    visible?: (position: number) => Promise<boolean>
  } = {},
): Promise<Sending> {
  const folder = newFolder()
  let elapsed = 0
  let position = 0
  const clock = { now: () => START + elapsed, elapsed: () => elapsed }
  const outbox = sqliteOutbox({ path: join(folder, 'webhooks.db'), clock })
  await outbox.open()
  const seen: Seen[] = []
  const disabled: { key: string; reason: string }[] = []
  const trouble: string[] = []
  const onTrouble = (message: string, error: unknown) => void trouble.push(`${message}: ${String(error)}`)

  const put = async (endpoint: Endpoint) => {
    position++
    await outbox.store([{ op: 'endpoint', endpoint: { ...endpoint, position } }], position)
  }
  const sender = {
    async post(post: Post) {
      const one = { ...post, at: elapsed }
      seen.push(one)
      return answer(one, sending)
    },
    close: () => {},
  }
  const sending: Sending = {
    outbox,
    drains: drains({
      outbox: between(outbox),
      settle: settler({ outbox, onTrouble }).settle,
      deliver: byTarget(
        deliverer({
          sender,
          openSecret: async (_company, sealed) => sealed.replace('sealed:', ''),
          clock,
          signatureHeader: 'X-Hub-Signature-256',
          userAgent: 'test',
        }),
        { clock, attempts: schedule.length, send: sendTo },
      ),
      visible,
      async disable(endpoint, reason) {
        disabled.push({ key: endpoint.key, reason })
        await put({ ...endpoint, active: false })
      },
      slots: slots({ perName: 200, inAll: atOnce }),
      schedule,
      clock,
      random: () => 0,
      onTrouble,
    }),
    seen,
    disabled,
    trouble,
    now: () => elapsed,
    pass: (ms) => void (elapsed += ms),
    async endpoint(key, more = {}) {
      const endpoint = endpointOf(key, more)
      await put(endpoint)
      return endpoint
    },
    async send(record, version, to, company = COMPANY) {
      const id = messageId(`${record}-${version}`)
      const body = JSON.stringify({ Event: 'tenant.updated', Data: { Id: record, Version: version } })
      const message = { id, company, event: 'tenant.updated', record, position: ++position, body }
      const deliveries = to.map((key) => deliveryOf(message, key, new Date(clock.now()).toISOString()))
      await outbox.store([{ op: 'send', message, deliveries }], position)
      return id
    },
    async work(key, until = Infinity) {
      for (;;) {
        const nextInMs = await sending.drains.drain(key)
        if (nextInMs === undefined || elapsed + nextInMs > until) return
        elapsed += nextInMs
      }
    },
    async close() {
      await outbox.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return sending
}

export const status = (code: number, headers: Readonly<Record<string, string>> = {}): PostOutcome => ({
  status: code,
  headers,
  body: '',
})
