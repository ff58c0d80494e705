/**
 * The last event that the embedded outbox has followed, kept beside its rows in `webhooks.db`, and how it begins again when
 * the log is another one. Stored right after what it covers: a crash in between leaves an earlier event, which does as well.
 */
import type { OutboxCheckpoint } from '../../../ports/outbox.ts'
import type { LastEvent } from '../../../ports/projection-store.ts'
import { asUnavailable, openForWriting, transaction } from '../files/open.ts'

/** `beginAgain` is to be called before the outbox is opened. */
export function openOutboxCheckpoint(path: string): OutboxCheckpoint {
  const db = openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 1 })
  db.exec(`PRAGMA wal_autocheckpoint = 2000;
    CREATE TABLE IF NOT EXISTS followed (
      one INTEGER PRIMARY KEY CHECK (one = 1), last TEXT, skipped INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    INSERT OR IGNORE INTO followed (one) VALUES (1)`)
  const followed = db.prepare('SELECT last, skipped FROM followed')
  const keep = db.prepare('UPDATE followed SET last = ?')
  const restart = db.prepare('UPDATE followed SET last = NULL, skipped = ?')
  return {
    async last() {
      const text = followed.get()?.['last'] as string | null
      return text === null ? undefined : (JSON.parse(text) as LastEvent)
    },
    async keep(last) {
      try {
        keep.run(JSON.stringify(last))
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    skipped: async () => followed.get()!['skipped'] as number,
    beginAgain: async (skip) =>
      transaction(db, () => {
        db.exec(`DELETE FROM deliveries WHERE state = 'pending';
          DELETE FROM messages WHERE NOT EXISTS (SELECT 1 FROM deliveries WHERE message = messages.n);
          DELETE FROM endpoints;
          UPDATE replays SET done = 1;
          UPDATE standing SET position = 0`)
        restart.run(skip)
      }),
    close: async () => db.close(),
  }
}
