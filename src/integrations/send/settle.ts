/** Stores what became of a sending, after what was learnt of the record's counterpart. */
import type { Company } from '../../domain/events/event.ts'
import { SYSTEM } from '../../domain/events/event.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { SendAttempt } from '../../ports/sending/send-attempt.ts'
import type { Answered } from '../calls/call.ts'
import type { IntegrationDefinition } from '../definition/integration-schema.ts'
import type { Sent } from '../definition/send-schema.ts'
import type { Integration } from '../integration.ts'
import type { IntegrationWork } from '../work.ts'
import { noteCounterpart } from './counterparts.ts'
import { digestOf } from './digest.ts'
import type { Prepared } from './what-to-send.ts'

export interface Sending {
  readonly company: Company
  readonly key: string
  readonly version: number
  readonly attempts: number
  readonly isLast: boolean
}

/** What the other system has now. */
export interface Arrived {
  readonly integration: Integration
  readonly file: IntegrationDefinition
  readonly entry: Sent
  readonly record: string
  readonly recordState: RecordState
  readonly prepared: Prepared
  /** false: it was there already, and may differ from what would have been sent. */
  readonly isOwn?: boolean
  readonly externalId: string | undefined
}

export async function settle(
  work: IntegrationWork,
  { company, key }: Sending,
  state: 'sent' | 'skipped' | 'refused' | 'failed',
  reason: string,
  arrived?: Arrived,
  answered?: Answered,
): Promise<SendAttempt> {
  if (arrived) await noteArrival(work, company, arrived)
  const { version } = await work.steps.load(company, key)
  const data = {
    State: state,
    Reason: reason.slice(0, 1_000),
    ...(answered && { Status: answered.status }),
    ...(arrived?.externalId !== undefined && { ExternalId: arrived.externalId }),
  }
  await work.steps.add({ company, key, version }, `sending.${state}`, data)
  if (state === 'sent' && arrived) await work.health.well(arrived.integration, `send ${arrived.entry.name}`)
  return {
    isOver: true,
    isSent: state === 'sent' || state === 'skipped',
    detail: reason,
    ...(answered && { url: answered.url, status: answered.status }),
  }
}

async function noteArrival(
  work: IntegrationWork,
  company: Company,
  { integration, file, entry, record, recordState, prepared, isOwn = true, externalId }: Arrived,
): Promise<void> {
  const name = { company, integration: integration.key, record }
  const { fields } = recordState
  const shared = sharedFields(file, entry.object)
  await noteCounterpart(work, name, {
    externalId: externalId ?? prepared.counterpart.externalId,
    ...(isOwn && {
      sent: { [entry.name]: prepared.digest },
      agreed: Object.fromEntries(shared.map((field) => [field, digestOf(fields[field])])),
    }),
  })
  if (externalId === undefined) return
  const link = await work.links.load(company, {
    integration: integration.key,
    object: entry.object,
    externalId,
  })
  const command = work.newCommand()
  const caller = {
    company,
    actor: SYSTEM,
    correlation: command,
    command,
    source: `integration:${integration.key}`,
  }
  await work.links.note(caller, link, { record })
}

/** Fields of the object that come from the other system, too. */
export function sharedFields({ receive }: IntegrationDefinition, object: string): readonly string[] {
  const rules = receive.flatMap(({ map }) => map).filter((rule) => rule.object === object)
  return [...new Set(rules.flatMap(({ set }) => Object.keys(set)))]
}
