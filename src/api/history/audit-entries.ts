/**
 * Which entries of the audit are answered: what the journal finds by its indexes, and of those the ones with a field or
 * reason, which are looked for in what the principal is shown.
 */
import { defused, quoted } from '../../domain/csv-text.ts'
import { Invalid } from '../../domain/errors.ts'
import type { Company, Position } from '../../domain/events/event.ts'
import { foldedText } from '../../domain/fields/folded-text.ts'
import type { Journal, JournaledEvent, JournalFilter } from '../../ports/journal.ts'
import type { AuditItem } from './audit-item.ts'
import type { AuditPageRequest, Sought } from './audit-query.ts'
import type { ShownEntries } from './audit-shown.ts'

export interface Entries {
  readonly journal: Pick<Journal, 'count' | 'find'>
  readonly company: Company
  readonly filter: JournalFilter
  readonly upTo: Position
  readonly shown: ShownEntries
}

export interface EntriesPage {
  readonly events: readonly JournaledEvent[]
  readonly total: number
}

/** Events that are read at once: at first, at the most, and the characters that they should not exceed. */
const CHUNK = { first: 50, most: 250, characters: 1_000_000 }
/** How many events one page looks through for a field or a reason; an export goes through any number. */
const MOST_LOOKED_THROUGH = 100_000

export function isSought({ field, reason }: Sought): boolean {
  return field !== undefined || reason !== undefined
}

type Paged = Pick<AuditPageRequest, 'descending' | 'pageSize'>

export async function journaledPage(
  { journal, company, filter, upTo }: Entries,
  { descending, pageSize }: Paged,
  offset: number,
): Promise<EntriesPage> {
  const total = await journal.count(company, filter, upTo)
  const asked = { upTo, descending, offset, limit: pageSize }
  return { total, events: offset < total ? await journal.find(company, filter, asked) : [] }
}

/** @throws Invalid when there is more to look through than a page may */
export async function soughtPage(
  entries: Entries,
  { descending, pageSize, sought }: Paged & { readonly sought: Sought },
  offset: number,
): Promise<EntriesPage> {
  const { journal, company, filter, shown } = entries
  if ((await journal.count(company, filter, entries.upTo)) > MOST_LOOKED_THROUGH)
    throw new Invalid(
      'field and reason look through at most 100,000 events: narrow by object, key, event, actor, from or to, or take /audit/export',
      [],
    )
  const events: JournaledEvent[] = []
  let total = 0
  let [after, upTo] = [0, entries.upTo]
  for (;;) {
    const found = await journal.find(company, filter, { after, upTo, descending, limit: CHUNK.most })
    for (const event of found)
      if (fits(shown, sought, event)) {
        if (total >= offset && events.length < pageSize) events.push(event)
        total++
      }
    const last = found.at(-1)
    if (!last) return { events, total }
    if (descending) upTo = last.position - 1
    else after = last.position
  }
}

function fits(shown: ShownEntries, { field, reason }: Sought, event: JournaledEvent): boolean {
  const seen = shown.parts(event)
  if (field !== undefined && !(seen.data && Object.hasOwn(seen.data, field))) return false
  if (reason === undefined) return true
  // A reason that is hidden is not known to be missing.
  if (reason === null) return seen.data !== undefined && seen.reason === null
  return seen.reason !== null && foldedText(seen.reason).includes(reason)
}

/** The lines from the first entry on, some at a time. */
export async function* auditChunks(
  { journal, company, filter, upTo, shown }: Entries,
  sought: Sought,
  format: 'jsonl' | 'csv',
): AsyncGenerator<string> {
  if (format === 'csv') yield 'Position,Key,Version,Event,At,By_Id,By_Name,Reason,Data\r\n'
  let limit = CHUNK.first
  for (let after = 0; ;) {
    const events = await journal.find(company, filter, { after, upTo, limit })
    const last = events.at(-1)
    if (!last) return
    const fitting = isSought(sought) ? events.filter((event) => fits(shown, sought, event)) : events
    const items = await Promise.all(fitting.map(shown.item))
    const text = items.map(format === 'csv' ? csvLine : jsonLine).join('')
    if (text !== '') yield text
    after = last.position
    limit = text.length > CHUNK.characters ? Math.max(1, limit >> 2) : Math.min(CHUNK.most, limit * 2)
  }
}

const jsonLine = (item: AuditItem) => `${JSON.stringify(item)}\n`

function csvLine({ Position, Key, Version, Event, At, By, Reason, Data }: AuditItem): string {
  const texts = [Event, At, By.Id, By.Name].map((text) => quoted(defused(text)))
  const reason = Reason === null ? '' : quoted(defused(Reason))
  return `${[Position, Key, Version, ...texts, reason, quoted(JSON.stringify(Data))].join(',')}\r\n`
}
