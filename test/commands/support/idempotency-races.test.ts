import { expect } from 'chai'
import type { Request } from 'express'
import { batchRoute } from '../../../src/api/records/batch.ts'
import type { RecordedAnswer } from '../../../src/commands/support/idempotency.ts'
import { Conflict } from '../../../src/domain/errors.ts'
import { faultsOf, happened, record, update } from '../../support/given.ts'
import { gate, memoryLog, type Interference, type MemoryLog } from '../../support/memory-event-store.ts'
import { definition, key, readModelsOf, writeSide, type WriteSide } from '../../support/write-side.ts'
import { client, lease, recordEvents } from './idempotent-client.ts'

/** Two processes; what the slow one appends to a contract is held. */
function slowAndQuick() {
  const log = memoryLog()
  const held = gate()
  const interference: Interference = {
    before: ({ stream }) => (stream.startsWith('contract-') ? held.hold() : undefined),
  }
  return {
    log,
    held,
    slow: writeSide({ log, interference, onlyWriter: false }),
    quick: writeSide({ log, process: 2, onlyWriter: false }),
  }
}

describe('a request that comes twice at once', () => {
  it('is done once in one process: the second waits and gets the first answer', async () => {
    const side = writeSide()
    const { post } = client(side)
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('k-1', lease)))
    expect(answers.map(({ repeated }) => repeated).filter((repeated) => !repeated)).to.have.length(1)
    expect(new Set(answers.map(({ body }) => body)).size).to.equal(1)
    expect(recordEvents(side.log)).to.have.length(1)
  })

  it('with another body: one is done, the other refused', async () => {
    const side = writeSide()
    const { post } = client(side)
    const outcomes = await Promise.allSettled([post('k-1', lease), post('k-1', { ...lease, Notes: 'x' })])
    expect(outcomes[0].status).to.equal('fulfilled')
    faultsOf(outcomes[1], Conflict)
    expect(recordEvents(side.log)).to.have.length(1)
  })

  it('is done once by two processes, and both answer what was stored', async () => {
    const { log, held, slow, quick } = slowAndQuick()
    const slowly = client(slow).post('k-1', lease)
    await held.reached
    const quickly = await client(quick).post('k-1', lease)
    held.open()
    const [stored, ...more] = recordEvents(log)
    expect(more).to.deep.equal([])
    const body = JSON.stringify({ Id: stored?.stream, ...stored?.data, created: true })
    expect([quickly.body, (await slowly).body]).to.deep.equal([body, body])
  })

  it('has one answer, the one that was recorded first, also where both found something else', async () => {
    const log = memoryLog()
    const held = gate()
    const [slow, quick] = [1, 2].map((process) => writeSide({ log, process, onlyWriter: false }))
    const answer = (body: string): RecordedAnswer => ({ status: 200, headers: {}, body })
    const slowly = client(slow!).send('k-1', {}, async () => {
      await held.hold()
      return answer('later')
    })
    await held.reached
    await client(quick!).send('k-1', {}, async () => answer('first'))
    held.open()
    expect([
      (await slowly).body,
      (await client(quick!).send('k-1', {}, async () => answer('no'))).body,
    ]).to.deep.equal(['first', 'first'])
  })

  it('as a change, and others change the record in between: it is not done a second time', async () => {
    const log = memoryLog()
    const ann = key('tenant', 1)
    const held = gate()
    let reads = 0
    // Held after it has looked for what an earlier run has done, before it reads what to decide on.
    const interference: Interference = {
      reading: (stream) => (stream === ann && ++reads === 2 ? held.hold() : undefined),
    }
    const [slow, quick] = [
      writeSide({ log, interference, onlyWriter: false }),
      writeSide({ log, process: 2, onlyWriter: false }),
    ]
    await record(quick.events, [happened(ann, 'tenant.created', { Name: 'Ann', Score: 1 })])
    const slowly = client(slow).patch('k-1', ann, { Score: 2 })
    await held.reached
    const quickly = await client(quick).patch('k-1', ann, { Score: 2 })
    await update(ann, { Score: 3 })(quick.write)
    held.open()
    expect((await slowly).body).to.equal(quickly.body)
    expect(recordEvents(log).map(({ data }) => data['Score'])).to.deep.equal([1, 2, 3])
  })

  it('and is changed afterwards: no process goes on with what was never stored', async () => {
    const { log, held, slow, quick } = slowAndQuick()
    const slowly = client(slow).post('k-1', lease)
    await held.reached
    await client(quick).post('k-1', lease)
    held.open()
    await slowly
    const [stored] = recordEvents(log)
    const { state } = await update(stored!.stream, { Notes: 'x' })(slow.write)
    expect(state.fields).to.deep.equal({ ...stored!.data, Notes: 'x' })
  })
})

describe('a batch with an Idempotency-Key', () => {
  const Records = Array.from({ length: 10 }, (_, index) => ({ ...lease, Notes: `row ${index}` }))
  const sendBatch = (side: WriteSide) => {
    const create = batchRoute({
      definitionOf: () => definition('contract'),
      write: side.write,
      readModels: readModelsOf(side.log),
      positions: { write: (_company, _of, position) => String(position) },
      charge: () => {},
      readYourWritesMs: 0,
    })
    const request = { body: { Records } } as Request
    return client(side).send('k-1', { Records }, (asking) => create(asking, request))
  }
  type Row = { readonly Index: number; readonly Status: number; readonly Id?: string }
  const rowsOf = ({ body }: RecordedAnswer) => (JSON.parse(body) as { Data: Row[] }).Data
  const notesOf = (log: MemoryLog) =>
    recordEvents(log)
      .map(({ data }) => data['Notes'])
      .toSorted()

  it('is done once', async () => {
    const side = writeSide()
    const { repeated: _, ...first } = await sendBatch(side)
    expect(rowsOf(first).map(({ Index, Status }) => [Index, Status])).to.deep.equal(
      Records.map((_row, index) => [index, 201]),
    )
    expect(await sendBatch(side)).to.deep.equal({ ...first, repeated: true })
    expect(recordEvents(side.log)).to.have.length(10)
  })

  it('that was cut off in its midst goes on where it was: each row once, with the Key it had', async () => {
    const log = memoryLog()
    const never = new Promise<never>(() => {})
    let rows = 0
    // The process dies: five rows are stored, and it does not learn of it.
    const interference: Interference = {
      before: ({ stream }) => (stream.startsWith('contract-') && ++rows > 5 ? never : undefined),
      after: ({ stream }) => (stream.startsWith('contract-') ? never : undefined),
    }
    void sendBatch(writeSide({ log, interference }))
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
    const before = recordEvents(log)
    expect(before).to.have.length(5)

    const answer = await sendBatch(writeSide({ log, process: 2 }))
    expect(notesOf(log)).to.deep.equal(Records.map(({ Notes }) => Notes))
    const ids = new Map(recordEvents(log).map(({ stream, data }) => [data['Notes'], stream]))
    for (const { Index, Status, Id } of rowsOf(answer))
      expect([Status, Id]).to.deep.equal([201, ids.get(`row ${Index}`)])
    const numbers = recordEvents(log).map(({ data }) => data['ContractNumber'])
    expect(new Set(numbers).size).to.equal(10)
  })
})
