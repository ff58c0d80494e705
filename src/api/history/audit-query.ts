/** Query parameters of the audit. What is not understood is refused, so that nobody takes a part for the whole. */
import { choiceOf } from '../../shapes/choice-of.ts'
import type { Request } from 'express'
import { AUDIT } from '../../commands/note-audit.ts'
import type { Definitions } from '../../domain/definition.ts'
import { invalid } from '../../domain/errors.ts'
import { SYSTEM } from '../../domain/events/event.ts'
import { eventNamesOf, noSuchEvent } from '../../domain/events/event-names.ts'
import { foldedText } from '../../domain/fields/folded-text.ts'
import { meantName } from '../../domain/filter/closest-name.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import { readMoment } from '../../domain/fields/moment.ts'
import { parsePage, type PageRequest } from '../../domain/query/page.ts'
import type { JournalFilter } from '../../ports/journal.ts'
import { MOST_NAMED } from '../records/actors.ts'
import { parametersOf } from '../records/list-query.ts'
import { readParameters, type ReadParameter } from '../http/read-parameters.ts'

const AUDIT_FILTERS = ['object', 'key', 'actor', 'event', 'field', 'reason', 'from', 'to'] as const
const PAGED = [...AUDIT_FILTERS, 'page', 'pageSize', 'sort'] as const
const EXPORTED = [...AUDIT_FILTERS, 'format'] as const
const FORMATS = ['jsonl', 'csv'] as const

type Given = Partial<Record<(typeof PAGED)[number] | 'format', string>>

/** What is asked of entries beyond what the journal has an index of. */
export interface Sought {
  /** The event set this field. */
  readonly field?: string
  /** The reason holds this text, whatever its case; null: there is none. */
  readonly reason?: string | null
}

export interface AuditRequest {
  readonly filter: JournalFilter
  readonly sought: Sought
  /** The parameters as they were given: what is recorded of the reading. */
  readonly given: Given
}

export interface AuditPageRequest extends AuditRequest, PageRequest {
  readonly descending: boolean
}

export interface AuditExportRequest extends AuditRequest {
  readonly format: (typeof FORMATS)[number]
}

/** What a request may name. */
export interface Known {
  readonly definitions: Definitions
  /** The Keys of users and tokens with this name or e-mail address. */
  readonly keysOf: (name: string) => Promise<readonly string[]>
}

/** @throws Invalid naming every parameter that is wrong */
export async function auditExportRequest(request: Request, known: Known): Promise<AuditExportRequest> {
  const given = parametersOf(request, EXPORTED)
  const read = readParameters()
  const asked = await askedOf(given, known, read)
  const format = read(() => choiceOf('format', given.format ?? 'jsonl', FORMATS))
  read.done()
  return { ...asked, given, format: format! }
}

/** @throws Invalid naming every parameter that is wrong */
export async function auditPageRequest(request: Request, known: Known): Promise<AuditPageRequest> {
  const given = parametersOf(request, PAGED)
  const read = readParameters()
  const asked = await askedOf(given, known, read)
  const page = read(() => parsePage(given.page, given.pageSize))
  if (given.sort !== undefined && !/^-?Position$/.test(given.sort))
    read(() => {
      throw invalid('sort', 'must be Position or -Position')
    })
  read.done()
  return { ...asked, given, ...page!, descending: given.sort === '-Position' }
}

async function askedOf(given: Given, known: Known, read: ReadParameter) {
  const { object, key, event, field, from, to } = given
  const { definitions } = known
  const actor = given.actor === undefined ? undefined : await actorOf(given.actor, known, read)
  const filter = {
    object: object === undefined ? undefined : read(() => objectOf(object, definitions)),
    key: key === undefined ? undefined : read(() => keyOf(key)),
    actor,
    event: event === undefined ? undefined : read(() => eventOf(event, definitions)),
    from: from === undefined ? undefined : read(() => readMoment('from', from).first),
    to: to === undefined ? undefined : read(() => readMoment('to', to).last),
  }
  if (filter.from !== undefined && filter.to !== undefined && filter.from > filter.to)
    read(() => {
      throw invalid('from', 'must not be later than to')
    })
  if (field !== undefined) read(() => checkField(field, [filter.object, objectOfKey(key ?? '')], definitions))
  const sought: Sought = {
    ...(field !== undefined && { field }),
    ...(given.reason !== undefined && { reason: given.reason === 'none' ? null : foldedText(given.reason) }),
  }
  const indexed = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
  return { filter: indexed as JournalFilter, sought }
}

function keyOf(text: string): string {
  if (objectOfKey(text) === undefined) throw invalid('key', 'must be a Key')
  return text
}

function objectOf(text: string, definitions: Definitions): string {
  if (definitions.has(text) || text === AUDIT) return text
  throw invalid(
    'object',
    `there is no object ${text.slice(0, 100)}${meantName(text, [...definitions.keys()])}`,
  )
}

/** A Key, or the name or e-mail address of one user or token. */
async function actorOf(text: string, { keysOf }: Known, read: ReadParameter): Promise<string | undefined> {
  if (objectOfKey(text) !== undefined || text === SYSTEM) return text
  const keys = await keysOf(text)
  return read(() => {
    if (keys.length === 1) return keys[0]
    throw invalid(
      'actor',
      keys.length === 0
        ? 'must be the Key, the name or the e-mail address of a user or token; of one that was deleted, the Key'
        : `is the name of ${keys.length === MOST_NAMED ? 'many' : keys.join(' and ')}; give the Key of one`,
    )
  })
}

/** A field of the object, or, when none is named, of any. */
function checkField(field: string, named: readonly (string | undefined)[], definitions: Definitions): void {
  const object = named.find((one) => one !== undefined)
  const of =
    object === undefined
      ? [...definitions.values()]
      : [definitions.get(object)].filter((one) => one !== undefined)
  const names = of.flatMap(({ fields, internal }) => [
    ...fields.map(({ name }) => name).filter((name) => !internal?.secrets.includes(name)),
    ...Object.values(internal?.changedAs ?? {}),
  ])
  if (names.includes(field)) return
  const where = object === undefined ? 'no object has a' : `${object} has no`
  throw invalid('field', `${where} field ${field.slice(0, 100)}${meantName(field, names)}`)
}

/** A name, `*`, or `contract.*`, which stands for all names that begin so. */
function eventOf(text: string, definitions: Definitions): JournalFilter['event'] {
  if (text === '*') return undefined
  const match = /^([a-z][a-z0-9]*)(\.(?:[A-Za-z0-9_-]+\.)*)(\*|[A-Za-z0-9_-]+)$/.exec(text)
  if (!match) throw invalid('event', 'must be the name of an event (contract.created), contract.* or *')
  const [, object = '', dots = '', last = ''] = match
  const definition = definitions.get(object)
  const known = [...definitions.values()].flatMap((one) => (one.internal ? [] : eventNamesOf(one)))
  const isBeginning =
    last === '*' && (dots === '.' || known.some((name) => name.startsWith(text.slice(0, -1))))
  const isKnown = isBeginning || known.includes(text)
  // Events of what the service keeps for itself are not listed anywhere.
  const isOther = definition?.internal !== undefined || object === AUDIT
  if ((definition && isKnown) || isOther) return last === '*' ? { begin: text.slice(0, -1) } : { name: text }
  const patterns = [...definitions.keys()].map((one) => `${one}.*`)
  throw invalid('event', noSuchEvent(text, [...known, ...patterns]))
}
