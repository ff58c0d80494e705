/** What the webhooks thread asks of the process: what reads show, the keys of secrets, and to write events. */
import type { Log } from '../../ports/log.ts'
import { appendIfFirst } from '../../commands/support/append-if-first.ts'
import type { Identifiers } from '../../commands/support/identifiers.ts'
import { ownEvent } from '../../commands/support/own-event.ts'
import type { WriteRecords } from '../../commands/write-records.ts'
import { NotFound } from '../../domain/errors.ts'
import { SYSTEM } from '../../domain/events/event.ts'
import type { Clock } from '../../ports/clock.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { MARKED, marksOf } from '../marks.ts'
import { webhookDefinition } from '../objects.ts'
import { secretOwner } from '../signing.ts'
import { recordsShow } from '../../projections/records-show.ts'
import { targetOf, type SendTo } from '../targets.ts'
import type { AskedOfMain } from './asked.ts'

export interface AnswersOptions {
  readonly events: Pick<EventStore, 'append' | 'last'>
  readonly readModels: Pick<ReadModels, 'reached' | 'status'>
  readonly write: Pick<WriteRecords, 'update'>
  readonly identifiers: Identifiers
  readonly clock: Clock
  readonly sealer: { readonly open: (sealed: string, owner: string) => string }
  readonly log: Log
  readonly sendTo: SendTo
  readonly onDisabled: () => void
}

/** How long a delivery waits for reads to show its event before it is tried again, in ms. */
export const VISIBLE_MS = 2_000

export function answersOf(options: AnswersOptions): AskedOfMain {
  const { events, readModels, sealer, write, identifiers, clock, log, sendTo, onDisabled } = options
  return {
    visible: (position) => recordsShow(readModels, position, VISIBLE_MS),
    openSecret: async (company, sealed) => sealer.open(sealed, secretOwner(company)),
    async disable({ key, company, url }, reason) {
      if (targetOf(key)) return // what is sent there fails one by one
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
        onDisabled()
      } catch (error) {
        if (!(error instanceof NotFound)) throw error
      }
    },
    async mark(company, endpoint, upTo) {
      const stream = marksOf(endpoint)
      const last = await events.last(company, stream)
      if (Number(last?.data['UpTo'] ?? 0) >= upTo) return
      const command = identifiers.newCommand()
      const data = { UpTo: upTo }
      const marked = ownEvent({
        company,
        stream,
        type: MARKED,
        data,
        now: clock.now(),
        command,
        name: 'deliver',
      })
      await appendIfFirst(events, { company, stream, expected: last?.version ?? 0, events: [marked] })
    },
    send: (target, company, thing) => sendTo[target](company, thing),
    trouble: async (message, detail) => log.error({ detail }, message),
  }
}
