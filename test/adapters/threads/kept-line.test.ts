/** The webhooks thread dies: it is started again, seen meanwhile, and ends the process when it dies again and again. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { keptLine, type KeptLine } from '../../../src/adapters/threads/kept-line.ts'
import type { AskedOfWebhooks } from '../../../src/webhooks/thread/asked.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { testService } from '../../support/service.ts'

describe('a webhooks thread that dies', () => {
  let link: KeptLine<AskedOfWebhooks>
  afterEach(() => link.stop())

  const start = async (onFatal: (reason: string) => void = () => expect.fail('it was not that bad')) => {
    const logged: string[] = []
    const log = {
      debug() {},
      info() {},
      warn() {},
      error: (_: object, message: string) => void logged.push(message),
    }
    const start = () => new Worker(new URL('./mortal-thread.ts', import.meta.url))
    link = await keptLine({ what: 'the webhooks thread', start, asked: {}, log, onFatal, pauseMs: 1 })
    return logged
  }
  const die = () => link.call('hints').catch((error: unknown) => error)
  const isBack = async () => {
    while (link.failure() !== undefined) await delay(5)
  }

  it('is started again, and answers', async () => {
    const logged = await start()
    const first = await link.call('status')
    expect(await die()).to.be.instanceOf(Unavailable)
    await isBack()
    let second: unknown
    while (second === undefined || second === first) second = await link.call('status').catch(() => undefined)
    expect(logged).to.deep.equal(['the webhooks thread has ended; it is started again'])
  })

  it('ends the process when it dies again and again', async () => {
    const fatal = Promise.withResolvers<string>()
    await start(fatal.resolve)
    let reason: string | undefined
    void fatal.promise.then((told) => (reason = told))
    while (reason === undefined) {
      await die()
      await delay(1)
    }
    expect(reason).to.contain('the webhooks thread has ended')
    expect(link.failure(), 'for readiness').to.equal(reason)
    expect(await link.call('status').catch((error: unknown) => error)).to.be.instanceOf(Unavailable)
  })
})

describe('an outbox that cannot be opened', () => {
  it('stops the start, by the name of its file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'daybook-outbox-'))
    writeFileSync(
      join(folder, 'webhooks.db'),
      'this is no database, and long enough to be seen as none'.repeat(100),
    )
    const error = await testService({ settings: { DATA_DIR: folder } }).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(error).to.be.instanceOf(Error)
    expect((error as Error).message).to.contain(join(folder, 'webhooks.db'))
    rmSync(folder, { recursive: true, force: true })
  })
})
