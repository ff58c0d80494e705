/** Copies the events of an earlier form of the event file into a file of the present form, event by event, as stored. */
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openEventLog, type PackedAppend } from '../../src/adapters/sqlite/events/event-log.ts'
import { streamOf } from '../../src/domain/events/stream-name.ts'

export interface Upgraded {
  readonly events: number
  /** Whether the key of sealed secrets lay beside them, and is copied. */
  readonly secretsKey: boolean
}

/** Events that share a commit. */
const GROUP = 1_000

/**
 * Ids, versions, order, data and metadata stay as they were stored: upcasters read them. Names of streams get their shard,
 * and the new file begins with `store.opened`.
 * @throws Error when there is nothing to copy, when the file has the present form, or when the new folder has events
 */
export function upgradeEventFile(from: string, to: string): Upgraded {
  const [source, target] = [join(from, 'events.db'), join(to, 'events.db')]
  if (!existsSync(source)) throw new Error(`There is no event file in ${from}.`)
  if (existsSync(target)) throw new Error(`${to} holds events already; nothing is overwritten.`)
  const db = new DatabaseSync(source, { readOnly: true })
  try {
    if (db.prepare('PRAGMA user_version').get()?.['user_version'] !== 0)
      throw new Error(`${source} has the present form already.`)
    mkdirSync(to, { recursive: true })
    const events = copy(db, target)
    const secretsKey = existsSync(join(from, 'secrets.key'))
    if (secretsKey) copyFileSync(join(from, 'secrets.key'), join(to, 'secrets.key'))
    return { events, secretsKey }
  } finally {
    db.close()
  }
}

function copy(db: DatabaseSync, target: string): number {
  const log = openEventLog(target)
  let count = 0
  let group: PackedAppend[] = []
  const store = () => {
    for (const [i, outcome] of log.append(group).entries())
      if ('conflict' in outcome)
        throw new Error(`${group[i]!.stream} has a gap before version ${group[i]!.expected + 1}.`)
    count += group.length
    group = []
  }
  try {
    for (const row of db.prepare('SELECT * FROM events ORDER BY position').iterate()) {
      const { stream, version, id, type, company, data, metadata } = row as Record<string, string> & {
        readonly version: number
      }
      const packed = { id: id!, type: type!, data: data!, metadata: metadata! }
      const name = streamOf(company!, stream!)
      group.push({ company: company!, stream: name, expected: version - 1, events: [packed] })
      if (group.length === GROUP) store()
    }
    if (group.length > 0) store()
    return count
  } finally {
    log.close()
  }
}
