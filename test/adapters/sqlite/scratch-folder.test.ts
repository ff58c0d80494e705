/** Scratch folders of several processes on one volume. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { scratchFolder } from '../../../src/adapters/sqlite/past/scratch-folder.ts'
import { newFolder } from '../../support/service.ts'

describe('scratch folders', () => {
  it('are kept while they are held, and removed when they were left behind', () => {
    const parent = newFolder()
    // Of a process with the number of this one, in another container.
    mkdirSync(join(parent, String(process.pid)))
    const first = scratchFolder(parent)
    expect(readdirSync(parent)).to.have.length(1)
    writeFileSync(join(first.folder, 'cut-1.db'), 'x')
    const second = scratchFolder(parent)
    expect(existsSync(join(first.folder, 'cut-1.db'))).to.equal(true)
    first.letGo()
    const third = scratchFolder(parent)
    expect(existsSync(first.folder)).to.equal(false)
    expect(existsSync(second.folder)).to.equal(true)
    second.letGo()
    third.letGo()
    rmSync(parent, { recursive: true })
  })
})
