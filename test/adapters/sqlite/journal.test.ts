/** The journal of the embedded event file. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openEventLog } from '../../../src/adapters/sqlite/events/event-log.ts'
import { eventRanges } from '../../../src/adapters/sqlite/events/event-range.ts'
import { sqliteJournal } from '../../../src/adapters/sqlite/events/journal.ts'
import { streamOf } from '../../../src/domain/events/stream-name.ts'
import { writtenText } from '../../../src/domain/events/written-text.ts'
import { journalContract } from '../../contracts/journal.ts'
import { newFolder } from '../../support/service.ts'

describe('the journal of an event file', function () {
  this.timeout(60_000)
  journalContract(async () => {
    const folder = newFolder()
    const path = join(folder, 'events.db')
    const log = openEventLog(path)
    const journal = sqliteJournal({ path, caughtUp: async () => log.head() })
    const ranges = eventRanges(path)
    return {
      journal,
      ranges,
      async store(events) {
        const outcomes = log.append(
          events.map(({ stream, version, position: _, ...event }) => {
            const { company } = event.metadata
            const text = { ...event, ...writtenText(event) }
            return { company, stream: streamOf(company, stream), expected: version - 1, events: [text] }
          }),
        )
        const stored = events.map(({ version, position }) => ({ version, position }))
        expect(outcomes).to.deep.equal(stored)
      },
      async discard() {
        await journal.close()
        await ranges.close()
        log.close()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  }, 20_500)
})
