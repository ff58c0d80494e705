/** The chunks of an import: which are under way together, and how it ends. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { Forbidden } from '../../src/domain/errors.ts'
import type { Fields } from '../../src/domain/json.ts'
import type { RecordState } from '../../src/domain/records/record.ts'
import { importOf } from '../../src/imports/import.ts'
import { runChunks, type ChunkLoop } from '../../src/imports/run/chunk-loop.ts'
import { chunkLog, type ChunkLog } from '../../src/imports/run/chunk-events.ts'
import type { RowResult } from '../../src/imports/run/outcomes.ts'
import { importProgress } from '../../src/imports/run/progress.ts'
import { memoryEventStore, memoryLog } from '../support/memory-event-store.ts'

const COMPANY = 'company-1'
const KEY = 'import-01m8462dvze009bpmbgy5p1jyh'

async function turns(): Promise<void> {
  for (let i = 0; i < 20; i++) await turn()
}

/** An import of so many chunks, which are sent and done when the test says so. */
function running(count: number, more: Partial<ChunkLoop> = {}, fields: Fields = {}) {
  const chunks = chunkLog(memoryEventStore({ log: memoryLog() }), () => 0)
  const recorded: number[] = []
  const noting: ChunkLog = {
    read: chunks.read,
    record: (caller, key, run, chunk, results) => {
      recorded.push(chunk)
      return chunks.record(caller, key, run, chunk, results)
    },
  }
  const now: Fields = { Object: 'tenant', State: 'Running', By: 'user-1', ...fields }
  const state = (): RecordState => ({
    status: 'live',
    version: 1,
    position: 1,
    fields: now,
    createdAt: '',
    modifiedAt: '',
  })
  let command = 0
  const begun: { chunk: number; isFirst: boolean; sent(): void; end(result: Outcome): void }[] = []
  const work = {
    chunks: noting,
    load: async () => state(),
    newCommand: () => `00000000-0000-4000-8000-${String(command++).padStart(12, '0')}`,
    onTrouble: () => {},
  }
  const loop: ChunkLoop = {
    number: 0,
    count,
    overlaps: true,
    run: (chunk, isFirst, sent) =>
      new Promise((resolve, reject) => {
        const end = (result: Outcome) =>
          result instanceof Error ? reject(result) : resolve([{ row: chunk + 2, outcome: result }])
        begun.push({ chunk, isFirst, sent, end })
      }),
    progress: importProgress(() => 0),
    signal: new AbortController().signal,
    ...more,
  }
  const start = () => runChunks(work, importOf(COMPANY, KEY, state())!, loop)
  return { begun, recorded, chunks, now, start }
}

type Outcome = RowResult['outcome'] | Error

describe('the chunks of an import', () => {
  it('are begun one ahead, when the one before is with the store, and recorded in their order', async () => {
    const { begun, recorded, start } = running(4)
    const ended = start()
    await turns()
    expect(begun.map(({ chunk }) => chunk)).to.deep.equal([0])
    begun[0]!.sent()
    await turns()
    begun[1]!.sent()
    await turns()
    expect(begun.map(({ chunk }) => chunk)).to.deep.equal([0, 1])
    begun[1]!.end('Created')
    await turns()
    expect(recorded).to.deep.equal([])
    begun[0]!.end('Created')
    await turns()
    expect(recorded).to.deep.equal([0, 1])
    for (const at of [2, 3]) {
      begun[at]!.sent()
      await turns()
      begun[at]!.end('Failed')
      await turns()
    }
    const { counts, ending } = (await ended)!
    expect([counts.Created, counts.Failed, ending]).to.deep.equal([2, 2, undefined])
    expect(recorded).to.deep.equal([0, 1, 2, 3])
    // What was begun and not recorded before a crash: two under way, and one that was being recorded.
    expect(begun.map(({ isFirst }) => isFirst)).to.deep.equal([false, false, false, true])
  })

  it('wait for each other where their rows do, and where a refused row ends it', async () => {
    const { begun, start } = running(3, { overlaps: false }, { Options: { OnError: 'stop' } })
    const ended = start()
    await turns()
    begun[0]!.sent()
    await turns()
    expect(begun).to.have.length(1)
    begun[0]!.end('Failed')
    expect((await ended)!.ending).to.equal('stopped')
    expect(begun).to.have.length(1)
  })

  it('that are under way when it is cancelled are done and counted', async () => {
    const { begun, now, recorded, start } = running(5)
    const ended = start()
    await turns()
    begun[0]!.sent()
    await turns()
    Object.assign(now, { IsCancelling: true })
    begun[0]!.end('Created')
    begun[1]!.sent()
    await turns()
    begun[1]!.end('Created')
    const { counts, ending } = (await ended)!
    expect([counts.Created, ending, recorded]).to.deep.equal([2, 'cancelled', [0, 1]])
  })

  it('are all at rest when one of them ends the import', async () => {
    const { begun, start } = running(5)
    let isOver = false
    const ended = start()
      .catch((error: unknown) => error)
      .finally(() => (isOver = true))
    await turns()
    begun[0]!.sent()
    await turns()
    begun[0]!.end(new Forbidden('not any more'))
    await turns()
    expect(isOver).to.equal(false)
    begun[1]!.end('Created')
    expect(await ended).to.be.instanceOf(Forbidden)
    expect(begun).to.have.length(2)
  })

  it('that are done are not run again', async () => {
    const { begun, chunks, start } = running(2)
    const caller = { company: COMPANY, actor: 'a', correlation: 'c', command: 'c' }
    await chunks.record(caller, KEY, 0, 0, [{ row: 2, outcome: 'Updated' }])
    const ended = start()
    await turns()
    expect(begun.map(({ chunk }) => chunk)).to.deep.equal([1])
    begun[0]!.end('Created')
    expect((await ended)!.counts).to.include({ Updated: 1, Created: 1 })
  })
})
