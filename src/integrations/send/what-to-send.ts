/** The request that a record is sent by: what the role of the integration may read of it, as the file maps it. */
import { createHash } from 'node:crypto'
import type { ObjectDefinition } from '../../domain/definition.ts'
import { shows, sightOf } from '../../domain/grant.ts'
import { parseFilter } from '../../domain/filter/parse.ts'
import type { Fields, Json } from '../../domain/json.ts'
import { recordDocument } from '../../domain/records/document.ts'
import type { RecordState } from '../../domain/records/record.ts'
import type { Access } from '../../rights/access.ts'
import { judgeOf } from '../../rights/judge-record.ts'
import type { FilledRequest } from '../calls/call.ts'
import { fillRequest } from '../calls/fill-request.ts'
import type { IntegrationDefinition } from '../definition/integration-schema.ts'
import type { Sent } from '../definition/send-schema.ts'
import { settingsOf, type Integration } from '../integration.ts'
import type { Source } from '../mapping/evaluate.ts'
import type { IntegrationWork } from '../work.ts'
import { valueAt } from '../mapping/path.ts'
import { loadCounterpart, type Counterpart } from './counterparts.ts'

export interface ToSend {
  readonly integration: Integration
  readonly file: IntegrationDefinition
  readonly entry: Sent
  readonly access: Access
  readonly record: string
  readonly state: RecordState
}

export interface Prepared {
  readonly request: FilledRequest
  readonly source: Source
  readonly counterpart: Counterpart
  /** Of the request: an equal one need not be sent. */
  readonly digest: string
  /** The record is known there by an Id. */
  readonly isKnown: boolean
}

/** Why it is not sent, in words for people. */
export interface NotSent {
  readonly why: string
}

/** Why it cannot be sent yet. */
export interface NotYet {
  readonly awaits: string
}

/** @throws Unmappable for what cannot be mapped */
export async function prepare(work: IntegrationWork, toSend: ToSend): Promise<Prepared | NotSent | NotYet> {
  const { integration, file, entry, access, record, state } = toSend
  const { company, key } = integration
  const definition = work.definitions.get(entry.object)!
  const item = await visible(work, company, definition, record, state, access)
  if (!item) return { why: `${integration.runAs} may not read ${record}` }
  if (state.status === 'deleted' && !entry.on.includes(`${entry.object}.deleted`))
    return { why: 'it was deleted here' }
  if (entry.filter !== undefined) {
    const filter = parseFilter(entry.filter, definition, work.definitions)
    if (!(await judgeOf(work, { company, definition, key: record, state }).fulfils(filter)))
      return { why: `it is not as the filter wants it: ${entry.filter}` }
  }
  const counterpart = await loadCounterpart(work, { company, integration: key, record })
  const { externalId } = counterpart
  const full = await withTargets(work, { company, key }, definition, item, access)
  const lacking = entry.needs?.find((path) => (valueAt(path, full) ?? null) === null)
  if (lacking !== undefined) return { awaits: `it has no ${lacking} yet, which the other system needs` }
  const source = {
    item: full,
    root: { link: externalId ?? null, record: full },
    settings: settingsOf(integration, file),
  }
  const isKnown = externalId !== undefined
  const needsLink = JSON.stringify(entry.request).includes('$.link')
  if (needsLink && !isKnown) return { why: 'the other system does not know it' }
  const request = fillRequest(isKnown && entry.update ? entry.update : entry.request, source)
  const text = JSON.stringify([request.method, request.path, request.body ?? null])
  const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  return { request, source, counterpart, digest, isKnown }
}

/** The record as its role reads it; undefined: not at all. */
async function visible(
  work: Pick<IntegrationWork, 'definitions' | 'states'>,
  company: string,
  definition: ObjectDefinition,
  key: string,
  state: RecordState,
  access: Access,
): Promise<Fields | undefined> {
  const judge = judgeOf(work, { company, definition, key, state })
  const grant = await judge.grantOn(access.grant(definition.object, 'read'))
  if (!grant) return undefined
  const sight = sightOf(grant)
  const { definitions } = work
  const document = recordDocument({ definition, definitions, key, ...state, displayOf: () => null })
  return Object.fromEntries(Object.entries(document).filter(([name]) => shows(sight, name)))
}

/** With what its lookups lead to; `Link` is the Id that such a record has in the other system. */
async function withTargets(
  work: Pick<IntegrationWork, 'definitions' | 'states'>,
  { company, key }: Pick<Integration, 'company' | 'key'>,
  { fields }: ObjectDefinition,
  item: Fields,
  access: Access,
): Promise<Fields> {
  const full: Record<string, Json> = { ...item }
  for (const { name, type, target } of fields) {
    const looked =
      type === 'lookup' ? (item[name] as { readonly Id: string } | null | undefined)?.Id : undefined
    const definition = work.definitions.get(target ?? '')
    if (looked === undefined || !definition) continue
    const state = await work.states.load(company, looked)
    const shown =
      state.status === 'live' ? await visible(work, company, definition, looked, state, access) : undefined
    const { externalId } = await loadCounterpart(work, { company, integration: key, record: looked })
    full[name] = { ...(shown ?? { Id: looked }), Link: externalId ?? null }
  }
  return full
}
