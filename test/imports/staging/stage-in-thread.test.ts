/** The thread that reads a file has ended when it is known what came of it: its folder is removed next, and nothing may write into it then. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { stageInThread } from '../../../src/imports/staging/stage-in-thread.ts'
import { newFolder } from '../../support/service.ts'

describe('the thread that reads a file', () => {
  let folder: string
  let running: Worker[] = []
  const started = (message: unknown) => {
    const { worker } = message as { readonly worker: Worker }
    running.push(worker)
    worker.once('exit', () => (running = running.filter((one) => one !== worker)))
  }
  beforeEach(() => {
    folder = newFolder()
    subscribe('worker_threads', started)
  })
  afterEach(() => {
    unsubscribe('worker_threads', started)
    rmSync(folder, { recursive: true, force: true })
  })

  const stage = (text: string, more: object = {}) => {
    const path = join(folder, 'file')
    writeFileSync(path, text)
    const limits = { bytes: 1e6, inflated: 1e6, rows: 1e3 }
    const staged = stageInThread({ path, target: join(folder, 'staged'), options: {}, limits, ...more })
    expect(running).to.have.length(1)
    return staged.then(
      ({ rows }) => rows,
      (error: Error) => error.message,
    )
  }

  for (const [what, text, more, came] of [
    ['was read', 'Name\nAnn\n', {}, /^1$/],
    ['was refused', '{"Records":[{"Number":"1"}]}', { bank: {} }, /^It is not a bank statement/],
    ['cannot be read', 'Name\nAnn\n', { target: '/dev/null/staged' }, /ENOTDIR/],
  ] as const)
    it(`has ended when a file ${what}`, async () => {
      expect(String(await stage(text, more))).to.match(came)
      expect(running).to.deep.equal([])
    })
})
