/**
 * Is the journal in MongoDB what the events say? Every document is held against the one that its event leads to, up to a
 * position that the journal had reached; what is written after it is not looked at. It is compared while the service runs.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  documentOf,
  journalCollections,
  NO_LAST,
  readState,
  type JournalDocument,
  type JournalLast,
} from '../../src/adapters/mongodb/journal/documents.ts'
import { journalStatus } from '../../src/adapters/mongodb/journal/store.ts'
import { asDomainError } from '../../src/adapters/mongodb/domain-errors.ts'
import { hasOrdinals } from '../../src/domain/events/ordinals.ts'
import type { Company, Position } from '../../src/domain/events/event.ts'
import { arrivalOf } from './arrival.ts'
import type { TableReport } from './compare-files.ts'
import type { Log } from './log.ts'

export interface JournalOf {
  readonly mongoUrl: string
  readonly log: Log
  /** An empty folder. */
  readonly scratch: string
}

const NAMED = 5
/** Rows of one commit of the scratch file. */
const BATCH = 10_000

/** @throws Error when it is of another log, is written again meanwhile, or nobody brings it on */
export async function verifyJournal({ mongoUrl: url, log, scratch }: JournalOf): Promise<TableReport> {
  const collections = journalCollections(url)
  const expected = scratchOf(join(scratch, 'journal.db'))
  try {
    await collections.connection.ready()
    const at = Math.min(
      await arrivalOf(async () => [await journalStatus(collections)], await log.head()),
      await log.head(),
    )
    const { epoch, last } = await readState(collections)
    if (last && (await log.strayOf([last]))) throw new Error('the journal is of another log')
    const rows = await fill(expected, { log, at, epoch })
    const differences: string[] = []
    const differs = (line: string) => differences.length < NAMED && differences.push(line.slice(0, 600))
    for await (const document of collections.journal.find({ epoch, position: { $lte: at } })) {
      const [kept, rebuilt] = [textOfDocument(document), expected.take(document._id)]
      if (kept === rebuilt) continue
      differs(`only in the kept: ${kept}`)
      if (rebuilt !== undefined) differs(`only in the rebuilt: ${rebuilt}`)
    }
    for (const rebuilt of expected.left(NAMED)) differs(`only in the rebuilt: ${rebuilt}`)
    if ((await readState(collections)).epoch !== epoch)
      throw new Error('the journal was written again meanwhile: compare it again')
    return { table: 'journal', rows, differences }
  } catch (error) {
    throw asDomainError(error)
  } finally {
    expected.close()
    await collections.connection.close()
  }
}

/** Puts what the events lead to into the scratch file, and counts it. */
async function fill(
  expected: ReturnType<typeof scratchOf>,
  { log, at, epoch }: { readonly log: Log; readonly at: Position; readonly epoch: number },
): Promise<number> {
  const lasts = new Map<Company, JournalLast>()
  let rows = 0
  for await (const { events } of log.between(0, at))
    for (const event of events) {
      if (!hasOrdinals(event.stream)) continue
      const { company } = event.metadata
      const document = documentOf(event, epoch, lasts.get(company) ?? NO_LAST)
      lasts.set(company, { ordinal: document.ordinal, at: document.at })
      expected.put(document._id, textOfDocument(document), ++rows)
    }
  return rows
}

function textOfDocument(document: JournalDocument): string {
  return JSON.stringify(Object.entries(document).sort(([one], [other]) => (one < other ? -1 : 1)))
}

function scratchOf(path: string) {
  const db = new DatabaseSync(path)
  db.exec(
    'PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; CREATE TABLE expected (id TEXT PRIMARY KEY, text TEXT) WITHOUT ROWID; BEGIN',
  )
  const insert = db.prepare('INSERT INTO expected VALUES (?, ?)')
  const remove = db.prepare('DELETE FROM expected WHERE id = ? RETURNING text')
  return {
    put(id: string, text: string, nth: number) {
      insert.run(id, text)
      if (nth % BATCH === 0) db.exec('COMMIT; BEGIN')
    },
    take: (id: string) => remove.get(id)?.['text'] as string | undefined,
    left: (most: number) =>
      db
        .prepare('SELECT text FROM expected LIMIT ? + 0')
        .all(most)
        .map(({ text }) => text as string),
    close: () => db.close(),
  }
}
