/** `npm run upgrade-store`: an event file of the form before, made of the corpus, is read in the new form as in the old. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { upgradeEventFile } from '../../scripts/upgrade-store/upgrade-event-file.ts'
import { openEventLog } from '../../src/adapters/sqlite/events/event-log.ts'
import { openEventReader } from '../../src/adapters/sqlite/events/event-reader.ts'
import { newFolder } from '../support/service.ts'

interface Frozen {
  readonly stored: {
    readonly id: string
    readonly type: string
    readonly data: object
    readonly metadata: { readonly company: string; readonly envelope?: number }
  }
  readonly now?: { readonly data: object; readonly reason?: string; readonly metadata: object }
}

const CORPUS = join(import.meta.dirname, '../corpus')
const frozen = readdirSync(CORPUS)
  .map((name) => JSON.parse(readFileSync(join(CORPUS, name), 'utf8')) as Frozen)
  .filter(({ stored }) => stored.metadata.envelope === undefined)

describe('an event file of an earlier form', () => {
  let folder: string
  const to = () => join(folder, 'new')
  beforeEach(() => {
    folder = newFolder()
    const db = new DatabaseSync(join(folder, 'events.db'))
    db.exec(`CREATE TABLE events (position INTEGER PRIMARY KEY, stream TEXT NOT NULL, version INTEGER NOT NULL,
      id TEXT NOT NULL, type TEXT NOT NULL, company TEXT NOT NULL, data TEXT NOT NULL, metadata TEXT NOT NULL) STRICT`)
    const insert = db.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    for (const [i, { stored }] of frozen.entries()) {
      const { id, type, data, metadata } = stored
      const texts = [JSON.stringify(data), JSON.stringify(metadata)]
      insert.run(i + 1, `tenant-${i}`, 1, id, type, metadata.company, ...texts)
    }
    db.close()
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is refused by the service, which says what to do', () =>
    expect(() => openEventLog(join(folder, 'events.db'))).to.throw('npm run upgrade-store'))

  it('is copied, and read as in the newest envelope; the key of secrets comes along', () => {
    writeFileSync(join(folder, 'secrets.key'), 'key')
    expect(upgradeEventFile(folder, to())).to.deep.equal({ events: frozen.length, secretsKey: true })
    expect(readFileSync(join(to(), 'secrets.key'), 'utf8')).to.equal('key')
    openEventLog(join(to(), 'events.db')).close()
    const reader = openEventReader(join(to(), 'events.db'))
    try {
      const [opened, ...events] = reader.readAll(0, 1_000)
      expect(opened?.type).to.equal('store.opened')
      expect(events.map(({ stream }) => stream)).to.deep.equal(frozen.map((_, i) => `tenant-${i}`))
      for (const [i, { id, data, reason, metadata }] of events.entries()) {
        const { stored, now } = frozen[i]!
        expect([id, data, reason, metadata]).to.deep.equal([stored.id, now!.data, now!.reason, now!.metadata])
      }
    } finally {
      reader.close()
    }
  })

  it('is not copied over events that are there, nor twice', () => {
    expect(upgradeEventFile(folder, to()).secretsKey).to.equal(false)
    expect(() => upgradeEventFile(folder, to())).to.throw('holds events already')
    expect(() => upgradeEventFile(to(), join(folder, 'third'))).to.throw('has the present form already')
    expect(() => upgradeEventFile(join(folder, 'fourth'), to())).to.throw('There is no event file')
  })
})
