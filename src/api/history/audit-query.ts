/** Query parameters of the audit. What is not understood is refused, so that nobody takes a part for the whole. */
import type { Request } from 'express'
import { invalid } from '../../domain/errors.ts'
import { SYSTEM } from '../../domain/events/event.ts'
import { objectOfKey } from '../../domain/records/key.ts'
import { readMoment } from '../../domain/fields/moment.ts'
import { parsePage, type PageRequest } from '../../domain/query/page.ts'
import type { JournalFilter } from '../../ports/journal.ts'
import { parametersOf } from '../records/list-query.ts'
import { readParameters, type ReadParameter } from '../http/read-parameters.ts'

const AUDIT_FILTERS = ['object', 'key', 'actor', 'event', 'from', 'to'] as const
const PAGED = [...AUDIT_FILTERS, 'page', 'pageSize', 'sort'] as const

type Given = Partial<Record<(typeof PAGED)[number], string>>

export interface AuditRequest {
  readonly filter: JournalFilter
  /** The parameters as they were given: what is recorded of the reading. */
  readonly given: Given
}

export interface AuditPageRequest extends AuditRequest, PageRequest {
  readonly descending: boolean
}

/** @throws Invalid naming every parameter that is wrong */
export function auditRequest(request: Request): AuditRequest {
  const given = parametersOf(request, AUDIT_FILTERS)
  const read = readParameters()
  const filter = filterOf(given, read)
  read.done()
  return { filter, given }
}

/** @throws Invalid naming every parameter that is wrong */
export function auditPageRequest(request: Request): AuditPageRequest {
  const given = parametersOf(request, PAGED)
  const read = readParameters()
  const filter = filterOf(given, read)
  const page = read(() => parsePage(given.page, given.pageSize))
  if (given.sort !== undefined && !/^-?Position$/.test(given.sort))
    read(() => {
      throw invalid('sort', 'must be Position or -Position')
    })
  read.done()
  return { filter, given, ...page!, descending: given.sort === '-Position' }
}

function filterOf({ object, key, actor, event, from, to }: Given, read: ReadParameter): JournalFilter {
  const shaped = (
    parameter: string,
    text: string | undefined,
    fits: (text: string) => boolean,
    must: string,
  ) =>
    text === undefined
      ? undefined
      : read(() => {
          if (!fits(text)) throw invalid(parameter, must)
          return text
        })
  const isKey = (text: string) => objectOfKey(text) !== undefined
  const filter = {
    object: shaped('object', object, (text) => /^[a-z][a-z0-9]*$/.test(text), "must be an object's name"),
    key: shaped('key', key, isKey, 'must be a Key'),
    actor: shaped(
      'actor',
      actor,
      (text) => isKey(text) || text === SYSTEM,
      'must be the Key of a user or token',
    ),
    event: read(() => eventOf(event)),
    from: from === undefined ? undefined : read(() => readMoment('from', from).first),
    to: to === undefined ? undefined : read(() => readMoment('to', to).last),
  }
  if (filter.from !== undefined && filter.to !== undefined && filter.from > filter.to)
    read(() => {
      throw invalid('from', 'must not be later than to')
    })
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}

/** A name, `*`, or `contract.*`, which stands for all names that begin so. */
function eventOf(text: string | undefined): JournalFilter['event'] {
  if (text === undefined || text === '*') return undefined
  const match = /^([a-z][a-z0-9]*\.(?:[A-Za-z0-9_-]+\.)*)(\*|[A-Za-z0-9_-]+)$/.exec(text)
  if (!match) throw invalid('event', 'must be the name of an event (contract.created), contract.* or *')
  return match[2] === '*' ? { begin: match[1]! } : { name: text }
}
