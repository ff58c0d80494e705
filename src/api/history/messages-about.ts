/** Which messages were sent about a record, and to which addresses, as entries between those of its history (docs/history.md#messages). */
import type { Response } from 'express'
import type { Definitions } from '../../domain/definition.ts'
import type { Company, Position, RecordedEvent } from '../../domain/events/event.ts'
import { secondsOf } from '../../domain/fields/dates.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import type { Json } from '../../domain/json.ts'
import { absent, evolve } from '../../domain/records/record.ts'
import { notification } from '../../notifications/objects.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { Refusal } from '../http/problems.ts'
import { principalOf } from '../http/request-context.ts'
import type { ActorName } from '../records/actors.ts'
import type { HistoryMessage } from './history-item.ts'

export interface MessagesAbout {
  readonly events: Pick<EventStore, 'read'>
  readonly readModels: Pick<ReadModels, 'list'>
  readonly actorName: ActorName
}

export interface PlacedMessage {
  readonly position: Position
  item(): Promise<HistoryMessage>
}

/** What became of a message, or what a person decided about it. */
const DECIDED = ['sent', 'failed', 'skipped', 'withheld', 'uncertain', 'due', 'bounced']
/** Messages about one record that are shown; the newest. */
const MOST = 1_000
const own: Definitions = new Map([[notification.object, notification]])

/** @throws Refusal (403) where the caller may not see addresses */
export function maySeeMessages(response: Response): void {
  const { access } = principalOf(response)
  const audit = access.grant(notification.object, 'audit')
  if (access.grant('template', 'notify') || (audit && !audit.shares)) return
  const message = 'include=messages: notify template, or audit of all that is sent, is not granted to you'
  throw new Refusal({ status: 403, code: 'FORBIDDEN', message })
}

/** Those about the record, in the order of their events. */
export async function messagesAbout(
  { events, readModels, actorName }: MessagesAbout,
  company: Company,
  record: string,
): Promise<readonly PlacedMessage[]> {
  const { records } = await readModels.list(company, {
    object: notification.object,
    filter: parseFilter(`Record eq '${record}'`, notification, own),
    sort: [],
    expand: [],
    offset: 0,
    limit: MOST,
  })
  const placed: PlacedMessage[] = []
  for (const { key } of records) {
    const own = await events.read(company, key)
    const { Digest, Count } = own[0]!.data
    // A digest is shown with the messages that are in it.
    if (Count !== undefined) continue
    const stream = typeof Digest === 'string' ? await events.read(company, Digest) : own
    const decided = stream.filter(isShown)
    for (const event of decided.length > 0 ? decided : own.slice(0, 1))
      placed.push({
        position: event.position,
        item: () => itemOf(actorName, company, event.stream === key ? own : stream, event),
      })
  }
  return placed.sort((one, other) => one.position - other.position)
}

function isShown({ type, data }: RecordedEvent): boolean {
  const what = type.slice(type.indexOf('.') + 1)
  return DECIDED.includes(what) || (what === 'created' && data['State'] === 'skipped')
}

async function itemOf(
  actorName: ActorName,
  company: Company,
  stream: readonly RecordedEvent[],
  { type, version, metadata, stream: Id }: RecordedEvent,
): Promise<HistoryMessage> {
  const { fields } = stream.filter((event) => event.version <= version).reduce(evolve, absent)
  const text = (value: Json | undefined) => (typeof value === 'string' ? value : null)
  return {
    Version: null,
    Event: type,
    At: secondsOf(metadata.recordedAt),
    By: await actorName(company, metadata.actor),
    Reason: text(fields['Reason']),
    Message: {
      Id,
      Trigger: fields['Trigger'] as string,
      Recipient: fields['Recipient'] as string,
      Template: fields['Template'] as string,
      TemplateVersion: fields['TemplateVersion'] as number,
      MessageId: text(fields['MessageId']),
    },
    Changes: {},
  }
}
