/**
 * The peer's storage: one log in SQLite, with EventStoreDB's rules of what an append does.
 *
 * Positions are byte offsets: they grow by the size of each event, so they are sparse and never guessed right. Appends
 * that wait at the same moment share one transaction.
 */
import { EventEmitter, once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'

export interface ProposedEvent {
  readonly id: string
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly metadata: Uint8Array
}

export interface LoggedEvent extends ProposedEvent {
  readonly position: number
  /** Bytes in the log: the next event stands at `position + size`. */
  readonly size: number
  readonly stream: string
  readonly revision: number
  /** Milliseconds since 1970. */
  readonly created: number
}

export interface ProposedAppend {
  readonly stream: string
  /** The revision that the stream must have; -1: it must not be there. */
  readonly expected: number
  readonly events: readonly ProposedEvent[]
}

export type AppendOutcome =
  /** The last event's revision and position; of a repeat also the stream's current revision. */
  | {
      readonly stored: true
      readonly revision: number
      readonly position: number | undefined
      readonly repeated?: true
      readonly current: number
    }
  /** Nothing was stored: the stream has this revision, -1 for none. */
  | { readonly stored: false; readonly revision: number }

export interface EventLog {
  append(append: ProposedAppend): Promise<AppendOutcome>
  revisionOf(stream: string): number
  ofStream(stream: string, fromRevision: number, limit: number): LoggedEvent[]
  after(position: number, limit: number): LoggedEvent[]
  before(position: number, limit: number): LoggedEvent[]
  countAfter(position: number): number
  /** Reads of the stream begin at this revision from now on. */
  cut(stream: string, beforeRevision: number): void
  /** Whether an event stands exactly there. */
  has(position: number): boolean
  /** Where the next event will stand. */
  end(): number
  /** Resolves when something has been stored, rejects when the signal is aborted. */
  committed(signal: AbortSignal): Promise<unknown>
  close(): void
}

/** The log does not begin at 0, and the server writes to it first. */
const FIRST_POSITION = 769
const SERVERS_OWN = ['$metadata', '$UserCreated', '$>']

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY, size INTEGER NOT NULL, stream TEXT NOT NULL, revision INTEGER NOT NULL,
    id TEXT NOT NULL, type TEXT NOT NULL, contentType TEXT NOT NULL, data BLOB NOT NULL, metadata BLOB NOT NULL,
    created INTEGER NOT NULL, UNIQUE (stream, revision)
  )`

/** @param file where to keep it, or `:memory:` */
export function eventLog(file: string): EventLog {
  const db = new DatabaseSync(file)
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${SCHEMA}`)
  const statements = {
    last: db.prepare('SELECT max(revision) AS revision FROM events WHERE stream = ?'),
    end: db.prepare('SELECT position + size AS next FROM events ORDER BY position DESC LIMIT 1'),
    insert: db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)'),
    ofStream: db.prepare(
      'SELECT * FROM events WHERE stream = ? AND revision >= ? ORDER BY revision LIMIT ? + 0',
    ),
    after: db.prepare('SELECT * FROM events WHERE position > ? ORDER BY position LIMIT ? + 0'),
    before: db.prepare('SELECT * FROM events WHERE position < ? ORDER BY position DESC LIMIT ? + 0'),
    countAfter: db.prepare('SELECT count(*) AS count FROM events WHERE position > ?'),
    at: db.prepare('SELECT 1 FROM events WHERE position = ?'),
  }
  const commits = new EventEmitter().setMaxListeners(0)
  let waiting: {
    readonly append: ProposedAppend
    readonly resolve: (outcome: AppendOutcome) => void
    readonly reject: (error: unknown) => void
  }[] = []

  const revisionOf = (stream: string): number => (statements.last.get(stream)?.revision ?? -1) as number
  const end = (): number => (statements.end.get()?.next ?? FIRST_POSITION) as number
  const cuts = new Map<string, number>()
  const ofStream = (stream: string, fromRevision: number, limit: number): LoggedEvent[] => {
    const from = Math.max(fromRevision, cuts.get(stream) ?? 0)
    return statements.ofStream.all(stream, from, limit) as unknown as LoggedEvent[]
  }

  function decide({ stream, expected, events }: ProposedAppend): AppendOutcome {
    const current = revisionOf(stream)
    if (expected === current) return { stored: true, ...write(stream, current, events) }
    // A repeat: the same ids stand right after the expected revision.
    const there = expected < current && events.length > 0 ? ofStream(stream, expected + 1, events.length) : []
    const repeated = there.length > 0 && events.every(({ id }, index) => there[index]?.id === id)
    if (!repeated) return { stored: false, revision: current }
    const position = there.at(-1)?.position
    return { stored: true, revision: expected + events.length, position, repeated: true, current }
  }

  function write(stream: string, current: number, events: readonly ProposedEvent[]) {
    let revision = current
    let position: number | undefined
    let next = end()
    for (const { id, type, contentType, data, metadata } of events) {
      position = next
      revision += 1
      const size = 160 + stream.length + 2 * type.length + data.length + metadata.length
      const created = Date.now()
      statements.insert.run(position, size, stream, revision, id, type, contentType, data, metadata, created)
      next += size
    }
    return { revision, position, current: revision }
  }

  function flush(): void {
    const appends = waiting
    waiting = []
    try {
      db.exec('BEGIN IMMEDIATE')
      const outcomes = appends.map(({ append }) => decide(append))
      db.exec('COMMIT')
      for (const [index, outcome] of outcomes.entries()) appends[index]?.resolve(outcome)
      commits.emit('commit')
    } catch (error) {
      if (db.isOpen && db.isTransaction) db.exec('ROLLBACK')
      for (const { reject } of appends) reject(error)
    }
  }

  if (end() === FIRST_POSITION) write('$settings', -1, SERVERS_OWN.map(systemEvent))

  return {
    append: (append) =>
      new Promise((resolve, reject) => {
        waiting.push({ append, resolve, reject })
        if (waiting.length === 1) setImmediate(flush)
      }),
    revisionOf,
    ofStream,
    after: (position, limit) => statements.after.all(position, limit) as unknown as LoggedEvent[],
    before: (position, limit) => statements.before.all(position, limit) as unknown as LoggedEvent[],
    cut: (stream, beforeRevision) => void cuts.set(stream, beforeRevision),
    countAfter: (position) => statements.countAfter.get(position)?.count as number,
    has: (position) => statements.at.get(position) !== undefined,
    end,
    committed: (signal) => once(commits, 'commit', { signal }),
    close: () => {
      if (db.isOpen) db.close()
    },
  }
}

/** An event as the server writes for itself. */
export const systemEvent = (type: string): ProposedEvent => ({
  id: crypto.randomUUID(),
  type,
  contentType: 'application/json',
  data: Buffer.from('{}'),
  metadata: new Uint8Array(),
})
