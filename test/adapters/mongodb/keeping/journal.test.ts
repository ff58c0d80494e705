/** The journal in MongoDB as the processes with the role `projections` keep it, and as those that serve the API read it. */
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import type { JournalDocument } from '../../../../src/adapters/mongodb/journal/documents.ts'
import { openMongoJournal, type OpenJournal } from '../../../../src/adapters/mongodb/keeping/journal.ts'
import { NotYet, Unavailable } from '../../../../src/domain/errors.ts'
import type { EventStore } from '../../../../src/ports/event-store.ts'
import { failureOf } from '../../../engines/mongodb-openers.ts'
import { mongoUnderTest, NOT_TESTED } from '../../../engines/mongodb-under-test.ts'
import { suiteOf } from '../../../engines/suite-of.ts'
import { whileRunning } from '../../../engines/while-running.ts'
import { happened, record } from '../../../support/given.ts'
import { memoryEventStore, memoryLog } from '../../../support/memory-event-store.ts'
import { sampleDefinitions as definitions } from '../../../support/sample-definitions.ts'
import { COMPANY, key } from '../../../support/write-side.ts'
import { eventually } from '../../../system/support/eventually.ts'

const mongo = mongoUnderTest()
const suite = suiteOf('the journal in MongoDB', mongo ? undefined : NOT_TESTED)

suite(`processes that share a journal in MongoDB (${mongo?.name ?? 'none'})`, function () {
  this.timeout(60_000)
  whileRunning(mongo!)
  let url: string
  let open: OpenJournal[]
  let messages: string[]
  beforeEach(() => {
    url = mongo!.newDatabase()
    open = []
    messages = []
  })
  afterEach(() => Promise.all(open.map((one) => one.close())))

  const start = async (events: EventStore, writes: boolean) => {
    const log = { error: (_: unknown, message?: string) => void messages.push(message ?? '') }
    const one = openMongoJournal({ url, definitions, events, log, writes })
    open.push(one)
    return one
  }
  const stop = async (one: OpenJournal) => {
    open = open.filter((other) => other !== one)
    await one.close()
  }
  const tenants = async (names: readonly string[], events = memoryEventStore({ log: memoryLog() })) => {
    for (const [i, Name] of names.entries())
      await record(events, [happened(key('tenant', i + 1), 'tenant.created', { Name })])
    return events
  }
  const shown = async ({ journal }: OpenJournal) => {
    await journal.caughtUp()
    const found = await journal.find(COMPANY, { object: 'tenant' }, { limit: 100 })
    return found.map(({ data }) => data['Name'] as string)
  }

  it('is read by a process that does not write, and goes on when the one that writes ends', async () => {
    const log = memoryLog()
    const events = await tenants(['Ann', 'Bea'], memoryEventStore({ log }))
    const [first, second, reader] = [
      await start(events, true),
      await start(memoryEventStore({ log }), true),
      await start(memoryEventStore({ log }), false),
    ]
    expect(await shown(reader)).to.deep.equal(['Ann', 'Bea'])
    await stop(first)
    await record(events, [happened(key('tenant', 3), 'tenant.created', { Name: 'Cid' })])
    expect(await shown(reader)).to.deep.equal(['Ann', 'Bea', 'Cid'])
    expect((await second.control.status()).map(({ name, state }) => [name, state])).to.deep.equal([
      ['journal', 'live'],
    ])
  })

  it('is written again where it is of another log, and says so until then', async () => {
    await stop(
      await (async () => {
        const one = await start(await tenants(['Ann', 'Bea', 'Cid']), true)
        await shown(one)
        return one
      })(),
    )
    const other = await tenants(['Dan', 'Eve'])
    const reader = await start(other, false)
    expect(await failureOf(reader.journal.caughtUp())).to.be.instanceOf(NotYet)
    await start(other, true)
    await eventually('it is of this log', async () =>
      expect(await shown(reader)).to.deep.equal(['Dan', 'Eve']),
    )
    expect(messages).to.deep.equal(['the journal in MongoDB is of another log, and is written again'])
  })

  it('is written again from the first event when an operator asks for it', async () => {
    const events = await tenants(['Ann', 'Bea'])
    const [writer, reader] = [await start(events, true), await start(events, false)]
    expect(await shown(reader)).to.deep.equal(['Ann', 'Bea'])
    const client = await new MongoClient(url).connect()
    const changed = { $set: { data: '{"Name":"Zed"}' } }
    await client.db().collection<JournalDocument>('journal').updateOne({ ordinal: 1 }, changed)
    await client.close()
    await writer.control.rebuild('journal')
    const answers = new Set<string>()
    await eventually('it is whole again', async () => {
      const answer = await shown(reader).catch((error: unknown) => {
        expect(error).to.be.instanceOf(Unavailable)
        throw error
      })
      answers.add(answer.join())
      expect(answer).to.deep.equal(['Ann', 'Bea'])
      const [status] = await reader.control.status()
      expect(status).to.deep.include({ name: 'journal', state: 'live', position: await events.head() })
    })
    // Never less than there is.
    expect([...answers].filter((answer) => answer !== 'Zed,Bea')).to.deep.equal(['Ann,Bea'])
  })
})
