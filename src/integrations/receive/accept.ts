/**
 * Takes a message: verified over its raw bytes and kept durably, in this order, and nothing else. What it means is worked out
 * after it was answered.
 */
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { Received } from '../definition/receive-schema.ts'
import { openCredentials, validValues } from '../credentials.ts'
import { isTaking, type Integration } from '../integration.ts'
import { idOfBody } from '../mapping/plan.ts'
import { doubtOf } from '../verify/verify.ts'
import type { Doubt, Inbound } from '../verify/inbound.ts'
import { loadIntegration, type IntegrationWork } from '../work.ts'
import { inboxId } from './inbox-id.ts'
import { sourceOf } from './source-of.ts'
import { isForm } from './is-form.ts'
import { isPolled } from './is-polled.ts'
import { isSubscribed, payloadOf } from './payload.ts'

export interface Door {
  readonly integration: Integration
  readonly entry: Received
}

/** A message was taken, or why not. */
export type Acceptance =
  /** `isProven`: by who holds the secrets. */
  | { readonly kind: 'kept'; readonly isProven: boolean }
  | { readonly kind: 'full' }
  | { readonly kind: 'doubted'; readonly doubt: Doubt }

const DAMAGED = { state: 'quarantined', reason: 'the body is not UTF-8' } as const

/** So many messages of an integration may wait to be applied. */
const MOST_PENDING = 100_000
/** How often that is counted, in messages: an integration may go past it by so many. */
const COUNTED_EVERY = 500

export interface Accepting {
  /** Where messages to this address go; undefined: there is no such place. */
  door(key: string, name: string | undefined): Promise<Door | undefined>
  accept(door: Door, inbound: Inbound): Promise<Acceptance>
}

/** @param grown something is to be applied */
export function accepting(work: IntegrationWork, grown: () => void): Accepting {
  const isFull = fullness(work)
  return {
    async door(key, name) {
      const company = await work.places.find(key)
      const integration = company === undefined ? undefined : await loadIntegration(work, company, key)
      if (!integration || !isTaking(integration)) return undefined
      const file = work.files.get(integration.definition)
      const receive = (file?.receive ?? []).filter((one) => isOpen(one))
      const entry =
        name === undefined && receive.length === 1 ? receive[0] : receive.find((one) => one.name === name)
      return entry && { integration, entry }
    },
    async accept({ integration, entry }, inbound) {
      const { company, key } = integration
      const now = work.clock.now()
      const credentials = openCredentials(work.sealing, company, integration.credentials)
      const payload = payloadOf(entry, inbound.body, now)
      const secrets = (name: string) => validValues(credentials, name, now)
      const doubt = doubtOf(entry.verify, { inbound, payload, secrets, now })
      if (doubt !== undefined) return { kind: 'doubted', doubt }
      if (await isFull(key)) return { kind: 'full' }
      const isProven = !entry.verify.some((scheme) => 'refetch' in scheme)
      // What only names something, or says that there is something, is the same each time.
      const source =
        !isProven || entry.polls !== undefined
          ? randomUUID()
          : payload === undefined
            ? idOfBody(inbound.body)
            : sourceOf(entry, payload, inbound.body)
      const id = inboxId(key, entry.name, source)
      const text = Buffer.from(inbound.body).toString('utf8')
      // What is only kept as text would be read with other letters later.
      const isDamaged = isProven && !isUtf8(inbound.body)
      await work.inbox.keep([
        {
          id,
          company,
          integration: key,
          entry: entry.name,
          source,
          payload: work.sealing.seal(text, id),
          receivedAt: now,
          ...(isDamaged ? DAMAGED : { state: 'stored' }),
        },
      ])
      grown()
      return { kind: 'kept', isProven }
    },
  }
}

/** Whether messages come in by its address. */
const isOpen = (entry: Received) => !isForm(entry) && !isPolled(entry) && !isSubscribed(entry.verify)

/** Whether so many messages of an integration wait that no more are taken. */
export function fullness({
  inbox,
}: Pick<IntegrationWork, 'inbox'>): (integration: string) => Promise<boolean> {
  const since = new Map<string, { count: number; isFull: boolean }>()
  return async (integration) => {
    const known = since.get(integration)
    if (known && !known.isFull && ++known.count < COUNTED_EVERY) return false
    const isFull = (await inbox.pending(integration, MOST_PENDING)) >= MOST_PENDING
    since.set(integration, { count: 0, isFull })
    return isFull
  }
}
