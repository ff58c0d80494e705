import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { folderFiles } from '../../../src/adapters/folder/files.ts'
import { filesContract } from '../../contracts/files.ts'
import { newFolder } from '../../support/service.ts'

describe('files in a folder', () => {
  let folder: string
  beforeEach(() => (folder = newFolder()))
  afterEach(() => rmSync(folder, { recursive: true }))

  filesContract(async () => folderFiles(join(folder, 'files')))

  it('clears away at the start what was not finished', () => {
    const begun = join(folder, 'files', '.begun')
    mkdirSync(begun, { recursive: true })
    writeFileSync(join(begun, 'half'), 'ha')
    folderFiles(join(folder, 'files'))
    expect(existsSync(begun)).to.equal(false)
    expect(readdirSync(join(folder, 'files'))).to.deep.equal([])
  })
})
