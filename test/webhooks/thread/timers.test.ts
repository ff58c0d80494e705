/** Timers that another thread keeps: the same to those who use them. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { expect } from 'chai'
import { sqliteTimers } from '../../../src/adapters/sqlite/timers/timers.ts'
import { calls, type Calls } from '../../../src/adapters/threads/calls.ts'
import { keepTimers, timersOf } from '../../../src/webhooks/thread/timers.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { newFolder } from '../../support/service.ts'
import { timersContract } from '../../contracts/timers.ts'

describe('timers that the webhooks thread keeps', () => {
  const folder = newFolder()
  const kept = keepTimers(() => sqliteTimers(join(folder, 'timers.db')))
  const { port1, port2 } = new MessageChannel()
  let line: Calls | undefined
  before(() => {
    calls(port1, { ...kept.answers })
    line = calls(port2, {})
  })
  after(async () => {
    port1.close()
    await kept.close()
    rmSync(folder, { recursive: true })
  })

  timersContract(async () => timersOf(() => line))

  it('are unavailable while the thread is away', async () => {
    const gone = calls(port2, {})
    gone.cut()
    expect(
      await timersOf(() => gone)
        .due(1, 1)
        .catch((error: unknown) => error),
    ).to.be.instanceOf(Unavailable)
    expect(
      await timersOf(() => undefined)
        .store([])
        .catch((error: unknown) => error),
    ).to.be.instanceOf(Unavailable)
  })
})
