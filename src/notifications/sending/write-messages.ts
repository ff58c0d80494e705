/**
 * From a cause to messages that are due: which templates, which recipients, in which language. A message is there once, however often
 * its cause is looked at: its Key follows from the occurrence and the recipient.
 */
import type { Definitions, ObjectDefinition } from '../../domain/definition.ts'
import type { Company, Position } from '../../domain/events/event.ts'
import { Unavailable } from '../../domain/errors.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import type { Fields } from '../../domain/json.ts'
import { absent, evolve, type RecordState } from '../../domain/records/record.ts'
import type { EventStore } from '../../ports/event-store.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import { judgeOfState } from '../../rights/judge-record.ts'
import type { Trigger } from '../triggers.ts'
import { gather } from './gather.ts'
import { messageKey, type MessageEvents } from './message-events.ts'
import { recipientsOf, type Recipient, type RecipientsOptions } from './recipients.ts'

/** What led to messages. */
export interface Cause {
  readonly company: Company
  readonly trigger: Trigger
  readonly definition: ObjectDefinition
  readonly key: string
  readonly state: RecordState
  readonly occurrence: string
  /** When, in ms since 1970: the same whenever it is worked out. */
  readonly at: number
  /** When it really was: templates that are newer are not meant. */
  readonly since: number
  /** Up to here events count. */
  readonly position: Position
  readonly person?: string | undefined
  readonly causation: string
  /** Why nothing is sent although it is due. */
  readonly skipped?: string | undefined
}

export interface WriteMessagesOptions extends RecipientsOptions {
  readonly definitions: Definitions
  readonly events: Pick<EventStore, 'read' | 'head'>
  readonly readModels: Pick<ReadModels, 'list' | 'reached'>
  readonly messages: MessageEvents
}

/** How long templates and users are waited for that were stored before the cause, in ms. */
const SHOWN_MS = 5_000
const SECOND_MS = 1_000

/** @throws Unavailable with some of them perhaps stored: it is to be done again */
export function messageWriter(options: WriteMessagesOptions): (cause: Cause) => Promise<void> {
  const { definitions, events, readModels, messages } = options

  const stateAt = (company: Company, position: Position) => async (key: string) =>
    (await events.read(company, key)).filter((event) => event.position <= position).reduce(evolve, absent)

  return async (cause) => {
    const { company, trigger, definition, position } = cause
    if (!(await readModels.reached(position, SHOWN_MS)))
      throw new Unavailable('the read models lag too far behind to find templates')
    const stateOf = stateAt(company, position)
    const templates = await templatesFor(readModels, cause, stateOf)
    if (templates.length === 0) return
    const record = { ...cause, stateOf }
    if (trigger.filter !== undefined) {
      const filter = parseFilter(trigger.filter, definition, definitions)
      if (!(await judgeOfState(definitions, record, stateOf).fulfils(filter))) return
    }
    const locale = (await messages.load(company, company)).fields['Locale'] as string | undefined
    for (const recipient of await recipientsOf(trigger, record, options)) {
      const template = chosen(templates, recipient, locale)
      await write(options, cause, recipient, template)
    }
  }
}

interface FoundTemplate {
  readonly key: string
  readonly version: number
  readonly locale: string
}

/** The templates of the trigger that were there when it happened. */
async function templatesFor(
  readModels: Pick<ReadModels, 'list'>,
  { company, trigger, since }: Cause,
  stateOf: (key: string) => Promise<RecordState>,
): Promise<FoundTemplate[]> {
  const { records } = await readModels.list(company, {
    object: 'template',
    sort: [],
    expand: [],
    offset: 0,
    limit: 1_000,
  })
  const found: FoundTemplate[] = []
  for (const { key, version, json } of records) {
    const { Trigger: of, Locale, CreatedAt } = JSON.parse(json) as Fields
    const age = since - Date.parse(CreatedAt as string)
    if (of !== trigger.trigger || age < 0) continue
    // Records show seconds: of the same one, only their events say which was first.
    if (age < SECOND_MS && (await stateOf(key)).status === 'absent') continue
    found.push({ key, version, locale: Locale as string })
  }
  return found
}

/** In the recipient's language, else the company's, else English, else the oldest. */
function chosen(
  templates: readonly FoundTemplate[],
  { locale }: Recipient,
  ofCompany: string | undefined,
): FoundTemplate {
  for (const wanted of [locale, locale?.slice(0, 2), ofCompany, ofCompany?.slice(0, 2), 'en']) {
    const found = wanted && templates.find((one) => one.locale.toLowerCase() === wanted.toLowerCase())
    if (found) return found
  }
  return templates.at(-1)!
}

async function write(
  { messages, events }: Pick<WriteMessagesOptions, 'messages' | 'events'>,
  { company, trigger, key: record, occurrence, at, position, causation, since, skipped }: Cause,
  { address }: Recipient,
  template: FoundTemplate,
): Promise<void> {
  const name = { company, trigger: trigger.trigger, record, occurrence, recipient: address, at }
  const key = messageKey(name)
  if ((await messages.load(company, key)).version > 0) return
  const data: Fields = {
    Trigger: trigger.trigger,
    Record: record,
    Occurrence: occurrence,
    Recipient: address,
    ...(trigger.category !== undefined && { Category: trigger.category }),
    Template: template.key,
    TemplateVersion: template.version,
    Position: position,
    State: skipped === undefined ? 'due' : 'skipped',
    IfUnsure: trigger.ifUnsure,
    Attempts: 0,
    ...(skipped !== undefined && { Reason: skipped }),
  }
  const by = { causation, source: `trigger:${trigger.trigger}` }
  if (trigger.digest && skipped === undefined)
    return gather({ messages, events }, { name, trigger, since, data, by })
  // False: another process was faster, with the same.
  await messages.add({ company, key, version: 0 }, 'notification.created', data, by)
}
