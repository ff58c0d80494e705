/** A row of `inbox.db` as the port has it. */
import type { SQLOutputValue } from 'node:sqlite'
import type { Json } from '../../../domain/json.ts'
import type { InboxRow, InboxState } from '../../../ports/inbox.ts'

export function rowOf(row: Record<string, SQLOutputValue>): InboxRow {
  const text = (name: string) => row[name] as string
  return {
    id: text('id'),
    company: text('company'),
    integration: text('integration'),
    entry: text('entry'),
    source: text('source'),
    // Lists do not ask for it.
    payload: text('payload'),
    receivedAt: row['received'] as number,
    state: text('state') as InboxState,
    reason: (row['reason'] as string | null) ?? undefined,
    arrivals: row['arrivals'] as number,
    attempts: row['attempts'] as number,
    due: (row['due'] as number | null) ?? undefined,
    subject: (row['subject'] as string | null) ?? undefined,
    results: JSON.parse(text('results')) as Json,
  }
}
