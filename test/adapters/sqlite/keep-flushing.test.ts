/** Flushing a file while it grows: it must end when told to, and leave nothing open. */
import { existsSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { keepFlushing } from '../../../src/adapters/sqlite/files/keep-flushing.ts'
import { newFolder } from '../../support/service.ts'
import { eventually } from '../../system/support/eventually.ts'

const DESCRIPTORS = '/proc/self/fd'

const isOpen = (path: string): boolean =>
  readdirSync(DESCRIPTORS).some((number) => {
    try {
      return readlinkSync(join(DESCRIPTORS, number)) === path
    } catch {
      return false // closed meanwhile
    }
  })

describe('flushing a file while it grows', () => {
  let folder: string
  before(function () {
    if (!existsSync(DESCRIPTORS)) {
      console.log(`        skipped: this system has no ${DESCRIPTORS} to see open files by`)
      this.skip()
    }
    folder = newFolder()
  })
  after(() => folder && rmSync(folder, { recursive: true, force: true }))

  it('begins when the file is there, and leaves it when it is told to', async () => {
    const path = join(folder, 'growing.db')
    const stop = keepFlushing(path)
    writeFileSync(path, 'some')
    await eventually('the file is opened', async () => expect(isOpen(path)).to.equal(true))
    await stop()
    expect(isOpen(path)).to.equal(false)
  })

  it('ends though the file has never come', async () => {
    await keepFlushing(join(folder, 'never.db'))()
  })
})
