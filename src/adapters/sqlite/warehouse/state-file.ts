/**
 * What the warehouses of all companies share: the catalogue, how far the projection has come, and how far each company's
 * file had come with it.
 *
 * A company's file is committed before this one says so, but a power cut may take the file's last commit and leave this
 * one's: `startFrom` is then the place from which nothing is missing anywhere.
 */
import type { Company, Position } from '../../../domain/events/event.ts'
import type { LastEvent } from '../../../ports/projection-store.ts'
import type { Catalogue } from '../../../domain/warehouse/catalogue.ts'
import { openForWriting, transaction } from '../files/open.ts'

export interface StateFile {
  catalogue(): Catalogue | undefined
  setCatalogue(catalogue: Catalogue): void
  /** What is stored does not follow from the events by the catalogue until it has been rebuilt. */
  isOutdated(): boolean
  setOutdated(outdated: boolean): void
  /** Everything up to here is in the companies' files. */
  position(): Position
  companies(): ReadonlyMap<Company, Position>
  /** The last event that the position covers. */
  last(): LastEvent | undefined
  /** Moves the position, with what it covers. */
  move(position: Position, companies: ReadonlyMap<Company, Position>, last: LastEvent | undefined): void
  /** Puts the position back: what came after it is applied again. */
  startFrom(position: Position): void
  close(): void
}

/** Raise when files of an earlier version cannot be used: everything is then rebuilt. */
const LAYOUT = 3

export function openStateFile(path: string): StateFile {
  const db = openForWriting({ path, synchronous: 'NORMAL', cacheMegabytes: 1 })
  db.exec(`PRAGMA wal_autocheckpoint = 1000;
    CREATE TABLE IF NOT EXISTS state (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS companies (company TEXT PRIMARY KEY, position INTEGER NOT NULL);`)
  const get = db.prepare('SELECT value FROM state WHERE name = ?')
  const set = db.prepare(
    'INSERT INTO state VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  )
  const setCompany = db.prepare(
    'INSERT INTO companies VALUES (?, ?) ON CONFLICT (company) DO UPDATE SET position = excluded.position',
  )
  const all = db.prepare('SELECT company, position FROM companies')
  const read = (name: string) => get.get(name)?.['value'] as string | undefined
  const position = () => Number(read('position') ?? 0)

  if (read('layout') !== String(LAYOUT))
    transaction(db, () => {
      db.exec('DELETE FROM state; DELETE FROM companies')
      set.run('layout', String(LAYOUT))
    })
  return {
    catalogue() {
      const text = read('catalogue')
      return text === undefined ? undefined : (JSON.parse(text) as Catalogue)
    },
    setCatalogue: (catalogue) => void set.run('catalogue', JSON.stringify(catalogue)),
    isOutdated: () => read('outdated') === 'true',
    setOutdated: (outdated) => void set.run('outdated', String(outdated)),
    position,
    companies: () =>
      new Map(all.all().map((row) => [row['company'] as Company, row['position'] as Position])),
    last() {
      const text = read('last')
      return text === undefined ? undefined : (JSON.parse(text) as LastEvent)
    },
    move: (to, companies, last) =>
      transaction(db, () => {
        for (const [company, at] of companies) setCompany.run(company, at)
        if (to <= position()) return
        set.run('position', String(to))
        if (last) set.run('last', JSON.stringify(last))
      }),
    startFrom: (to) => void set.run('position', String(to)),
    close: () => db.close(),
  }
}
