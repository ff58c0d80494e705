/** The copy of a server's events in a file. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openEventCopy } from '../../../src/adapters/sqlite/events/event-copy.ts'
import { sqliteJournal } from '../../../src/adapters/sqlite/events/journal.ts'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import { readStored } from '../../../src/domain/events/upcast.ts'
import { newEvent } from '../../support/events.ts'
import { newFolder } from '../../support/service.ts'
import { newKey } from '../../support/told-events.ts'

describe('a copy of the events of a server', () => {
  const [company, stream] = [newKey('company'), newKey('tenant')]
  const events = [1, 2, 3].map((version): RecordedEvent => {
    const event = newEvent({ company, type: 'tenant.updated' })
    return { ...event, stream, version, position: version * 100 }
  })
  let folder: string
  beforeEach(() => (folder = newFolder()))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const opened = () => {
    const path = join(folder, 'journal.db')
    const copy = openEventCopy(path)
    const journal = sqliteJournal({ path, caughtUp: () => Promise.resolve(copy.position()) })
    const found = (after = 0) => journal.find(company, {}, { after, limit: 10 })
    return {
      copy,
      journal,
      found,
      async close() {
        await journal.close()
        copy.close()
      },
    }
  }

  it('adds each event once, in whatever batches they come', async () => {
    const { copy, found, close } = opened()
    copy.add(events.slice(0, 2), 200)
    copy.add(events, 350)
    expect(copy.position()).to.equal(350)
    expect((await found()).map(({ id, ordinal }) => [id, ordinal])).to.deep.equal(
      events.map(({ id }, i) => [id, i + 1]),
    )
    await close()
  })

  it('keeps one that cannot be read as it is stored, in its place', async () => {
    const { id, type, version, position, metadata } = events[1]!
    const text = { data: '{"Name": "Ann', metadata: JSON.stringify(metadata) }
    const parse = (): never => {
      throw new SyntaxError(text.data)
    }
    const broken = readStored({ position, stream, version, id, type, company, text, parse })
    const { copy, found, journal, close } = opened()
    copy.add(events.with(1, broken), 300)
    expect((await found(200)).map(({ ordinal }) => ordinal)).to.deep.equal([3])
    expect(await journal.count(company, {}, 300)).to.equal(3)
    const failure = await found().catch((error: unknown) => error)
    expect(failure)
      .to.have.property('message')
      .that.matches(/version 2 of .* cannot be read: it is not valid JSON/)
    await close()
  })

  it('holds nothing of another log once it is cleared, also for who has it open', async () => {
    const { copy, found, close } = opened()
    copy.add(events, 300)
    expect(await found()).to.have.length(3)
    copy.clear()
    expect([copy.position(), copy.last(), await found()]).to.deep.equal([0, undefined, []])
    copy.add([events[2]!], 300)
    expect((await found()).map(({ ordinal }) => ordinal)).to.deep.equal([1])
    await close()
  })
})
