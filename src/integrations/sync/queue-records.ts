/** Writes down that records of an object are to be sent, some at a time: those that the other system may not have as they are. */
import { allOf } from '../../domain/filter/combine.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import { parseSort } from '../../domain/query/sort.ts'
import { derivedId } from '../../commands/support/identifiers.ts'
import type { Sent } from '../definition/send-schema.ts'
import type { IntegrationDefinition } from '../definition/integration-schema.ts'
import type { Integration } from '../integration.ts'
import { loadCounterpart } from '../send/counterparts.ts'
import { digestOf } from '../send/digest.ts'
import { writeSending } from '../send/follow-changes.ts'
import { sharedFields } from '../send/settle.ts'
import type { IntegrationWork } from '../work.ts'

export interface Queued {
  readonly queued: number
  /** The last record that was looked at; undefined: there are no more. */
  readonly after: string | undefined
}

const PIECE = 200

/** Whether records that are there can be sent by it; the others only report an end. */
export const sendsRecords = ({ object, on }: Sent): boolean => on.some((name) => name !== `${object}.deleted`)

export async function queueRecords(
  work: IntegrationWork,
  { integration, file, entry }: Queueing,
  { askedAt, after }: { readonly askedAt: string; readonly after: string | undefined },
): Promise<Queued> {
  const { definitions } = work
  const { company, key: integrationKey } = integration
  const definition = definitions.get(entry.object)!
  const parsed = (text: string | undefined) =>
    text === undefined ? undefined : parseFilter(text, definition, definitions)
  const filter = allOf([parsed(entry.filter), parsed(after && `Id gt '${after}'`)])
  const { records } = await work.readModels.list(company, {
    object: entry.object,
    ...(filter && { filter }),
    sort: parseSort('Id', definition, definitions),
    offset: 0,
    limit: PIECE,
    expand: [],
  })
  const of = { company, integration: integrationKey }
  let queued = 0
  for (const { key: record } of records) {
    if (await isSettled(work, { file, entry, ...of }, record)) continue
    const id = derivedId(`${integrationKey} full sync of ${askedAt} ${entry.name}`)
    const metadata = { recordedAt: new Date(Date.parse(askedAt)).toISOString() }
    const cause = { id, type: 'fullsync', stream: record, metadata, mayBeThere: true } as const
    if (await writeSending(work, integration, entry, cause)) queued++
  }
  return { queued, after: records.length < PIECE ? undefined : records.at(-1)!.key }
}

export interface Queueing {
  readonly integration: Integration
  readonly file: IntegrationDefinition
  readonly entry: Sent
}

interface OfEntry {
  readonly file: IntegrationDefinition
  readonly entry: Sent
  readonly company: string
  readonly integration: string
}

/** It came from there, was never sent by us, and both have the same: sending it would be an echo. */
async function isSettled(
  work: IntegrationWork,
  { file, entry, ...of }: OfEntry,
  record: string,
): Promise<boolean> {
  const { externalId, sent, agreed } = await loadCounterpart(work, { ...of, record })
  if (externalId === undefined || sent[entry.name] !== undefined) return false
  const { fields } = await work.states.load(of.company, record)
  const shared = sharedFields(file, entry.object)
  return shared.length > 0 && shared.every((name) => agreed[name] === digestOf(fields[name]))
}
