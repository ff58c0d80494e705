/** Following the event file from far behind: a little at a time, with turns of others in between. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openEventLog } from '../../../src/adapters/sqlite/events/event-log.ts'
import { logSignal, subscription } from '../../../src/adapters/sqlite/events/subscription.ts'
import { identifiers } from '../../../src/commands/support/identifiers.ts'
import type { RecordedEvent } from '../../../src/domain/events/event.ts'
import { streamOf } from '../../../src/domain/events/stream-name.ts'
import { writtenText } from '../../../src/domain/events/written-text.ts'
import { freshStream, newEvent } from '../../support/events.ts'
import { newFolder } from '../../support/service.ts'

describe('following the event file', () => {
  let folder: string
  beforeEach(() => (folder = newFolder()))
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  it('reads fewer events at a time where they are large, and all of them', () => {
    const log = openEventLog(join(folder, 'events.db'))
    const stream = freshStream()
    const events = Array.from({ length: 200 }, () => {
      const event = newEvent({ data: { Description: 'x'.repeat(20_000) } })
      return { id: event.id, type: event.type, ...writtenText(event) }
    })
    log.append([{ company: 'company-1', stream, expected: 0, events }])
    const found: RecordedEvent[] = []
    const sizes: number[] = []
    for (;;) {
      const page = log.readAll(found.at(-1)?.position ?? 0, 500)
      if (page.length === 0) break
      found.push(...page)
      sizes.push(page.length)
    }
    const own = found.filter((event) => event.stream === stream)
    expect(own.map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id))
    expect(Math.max(...sizes)).to.be.below(60)
    log.close()
  })

  it('hands out events of records, and the last one whatever it is, when only those are asked for', () => {
    const log = openEventLog(join(folder, 'events.db'))
    const append = (name: string) => {
      const event = newEvent()
      const events = [{ id: event.id, type: event.type, ...writtenText(event) }]
      log.append([{ company: 'company-1', stream: streamOf('company-1', name), expected: 0, events }])
      return log.head()
    }
    const after = log.head()
    const key = identifiers({ now: () => 0, elapsed: () => 0 })
    const all = Array.from({ length: 130 }, (_, i) => {
      const isRecord = i % 3 === 0
      return { isRecord, position: append(isRecord ? key.newKey('contract') : `claim-${i}`) }
    })
    const found: number[] = []
    for (;;) {
      const page = log.readRecords(found.at(-1) ?? after, 60)
      if (page.length === 0) break
      found.push(...page.map(({ position }) => position))
    }
    const ends = [60, 120, 130]
    const wanted = all.filter(({ isRecord }, i) => isRecord || ends.includes(i + 1))
    expect(found).to.deep.equal(wanted.map(({ position }) => position))
    log.close()
  })

  it('lets others have their turns between two batches', async () => {
    const readAll = (after: number): RecordedEvent[] => [
      { ...newEvent(), stream: 'contract-1', version: after + 1, position: after + 1 },
    ]
    const batches = subscription({ after: 0, read: readAll, signal: logSignal() })
    let turns = 0
    const count = () => {
      turns++
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    for (let i = 0; i < 100; i++) await batches.next()
    clearImmediate(counting)
    await batches.return?.()
    expect(turns).to.be.at.least(90)
  })
})
