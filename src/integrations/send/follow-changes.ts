/**
 * Changes that integrations send: a follower of all events, whose position is kept with the timers. It only writes down that
 * something is to be sent; what, is made when it goes out. What an integration has changed here is not sent back to it.
 */
import { derivedKey } from '../../commands/support/identifiers.ts'
import type { RecordedEvent } from '../../domain/events/event.ts'
import { Unavailable } from '../../domain/errors.ts'
import { recentlyUsed } from '../../domain/recently-used.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import { happeningOf } from '../../domain/records/record.ts'
import type { ProjectionStore } from '../../ports/projection-store.ts'
import type { ReadModels } from '../../ports/read-models.ts'
import type { Timers } from '../../ports/timers.ts'
import type { Projection } from '../../projections/projection.ts'
import type { IntegrationDefinition } from '../definition/integration-schema.ts'
import type { Sent } from '../definition/send-schema.ts'
import type { Integration } from '../integration.ts'
import { INTEGRATION, SENDING } from '../objects.ts'
import { loadIntegration, type IntegrationWork } from '../work.ts'

export interface FollowChangesOptions {
  readonly work: IntegrationWork
  readonly readModels: Pick<ReadModels, 'list' | 'reached'>
  readonly timers: Pick<Timers, 'position' | 'store'>
}

const NAME = 'send'
/** Batches without anything to send after which the position is stored all the same. */
const MOST_AGAIN = 100
const SHOWN_MS = 5_000
const REMEMBERED = 1_000

export function changesProjection({ files }: Pick<IntegrationWork, 'files'>): Projection<RecordedEvent> {
  const sent = new Set([...files.values()].flatMap(({ send }) => send.map(({ object }) => object)))
  return {
    name: NAME,
    needs: [],
    project(event) {
      const object = objectOfKey(event.stream) ?? ''
      return object === INTEGRATION || sent.has(object) ? [event] : []
    },
  }
}

export function followChanges({
  work,
  readModels,
  timers,
}: FollowChangesOptions): ProjectionStore<RecordedEvent> {
  /** Integrations that send, by company. */
  const known = recentlyUsed<Promise<readonly string[]>>(REMEMBERED)
  let passed = 0
  /**
   * Where the last event of an integration that came by stands, or where it began: read models that are stuck behind it need not
   * hold up what has nothing to send.
   */
  let changed = 0

  const keysOf = (company: string) => {
    const before = known.get(company)
    if (before) return before
    const asked = listed(company, changed)
    known.set(company, asked)
    asked.catch(() => known.delete(company))
    return asked
  }
  const listed = async (company: string, position: number) => {
    if (!(await readModels.reached(position, SHOWN_MS)))
      throw new Unavailable('the read models lag too far behind to find integrations')
    const query = { object: INTEGRATION, sort: [], offset: 0, limit: 100, expand: [] }
    return (await readModels.list(company, query)).records.map(({ key }) => key)
  }

  /** False where the company has no integrations. */
  const write = async (event: RecordedEvent): Promise<boolean> => {
    const { company } = event.metadata
    if (objectOfKey(event.stream) === INTEGRATION) {
      changed = Math.max(changed, event.position)
      known.delete(company)
      return true
    }
    const keys = await keysOf(company)
    for (const key of keys) {
      const integration = await loadIntegration(work, company, key)
      const file = integration && work.files.get(integration.definition)
      if (!file || !isMeant(integration, event)) continue
      for (const entry of entriesFor(file, event)) await writeSending(work, integration, entry, event)
    }
    return keys.length > 0
  }

  return {
    async position() {
      const position = await timers.position(NAME)
      changed = Math.max(changed, position)
      return position
    },
    async apply(batch, position, last) {
      let isPast = true
      for (const { steps } of batch)
        for (const { operations } of steps)
          for (const event of operations) if (await write(event)) isPast = false
      if (isPast && ++passed < MOST_AGAIN) return
      passed = 0
      await timers.store([], new Map([[NAME, position]]), last)
    },
    settled: async () => {},
    close: async () => {},
  }
}

/** Of the time since it was started, and not its own. */
function isMeant({ key, state, startedAt }: Integration, { metadata }: RecordedEvent): boolean {
  if (state === 'off' || startedAt === undefined || metadata.source === `integration:${key}`) return false
  return Date.parse(metadata.recordedAt) >= Date.parse(startedAt)
}

function entriesFor({ send }: IntegrationDefinition, { stream, type, data }: RecordedEvent): readonly Sent[] {
  return send.filter(({ object, on, fields }) => {
    if (objectOfKey(stream) !== object || !on.some((name) => name === type)) return false
    return !fields || happeningOf(type) !== 'changed' || fields.some((name) => name in data)
  })
}

/** What led to it, and when: of the same always the same. */
export interface SendingCause {
  readonly id: string
  readonly type: string
  readonly stream: string
  readonly metadata: { readonly recordedAt: string }
  /** The other system may have the record, without anybody here knowing. */
  readonly mayBeThere?: true
}

export async function writeSending(
  { steps, states }: Pick<IntegrationWork, 'steps' | 'states'>,
  { company, key: integration }: Integration,
  { name: Entry, object }: Sent,
  { id, type, stream: record, metadata, mayBeThere }: SendingCause,
): Promise<boolean> {
  const name = JSON.stringify([company, integration, Entry, record, id])
  const key = derivedKey(SENDING, name, Date.parse(metadata.recordedAt))
  if ((await states.load(company, key)).version > 0) return false
  const data = {
    Integration: integration,
    Entry,
    Object: object,
    Record: record,
    Event: type,
    State: 'due',
    Attempts: 0,
    ...(mayBeThere && { IsUnclear: true }),
  }
  const by = { causation: id, source: `integration:${integration}` }
  return steps.add({ company, key, version: 0 }, `${SENDING}.created`, data, by)
}
