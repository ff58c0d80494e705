/** Files of a folder: the contract, and that nothing outside of it is reached. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { folderSource } from '../../../src/adapters/folder/file-source.ts'
import { Unavailable } from '../../../src/domain/errors.ts'
import { fileSourceContract } from '../../contracts/file-source.ts'

const top = mkdtempSync(join(tmpdir(), 'daybook-source-'))
const root = join(top, 'root')
mkdirSync(join(root, 'out'), { recursive: true })
after(() => rmSync(top, { recursive: true, force: true }))

fileSourceContract('a folder', {
  open: () => folderSource(root, 'out'),
  write: async (path, text) => writeFileSync(join(root, 'out', path), text),
  names: async (folder) => readdirSync(join(root, 'out', folder)),
})

describe('a folder that files are picked up from', () => {
  const refused = async (path: string) =>
    folderSource(root, path).then(
      () => undefined,
      (error: unknown) => error,
    )

  it('is never left: not by dots, not by links', async () => {
    mkdirSync(join(top, 'secret'))
    writeFileSync(join(top, 'secret', 'keys.csv'), 'secret')
    symlinkSync(join(top, 'secret'), join(root, 'way-out'))
    expect(await refused('../secret')).to.be.instanceOf(Unavailable)
    expect(await refused('way-out')).to.be.instanceOf(Unavailable)
    symlinkSync(join(top, 'secret', 'keys.csv'), join(root, 'out', 'link.csv'))
    const source = await folderSource(root, 'out')
    expect((await source.list()).map(({ name }) => name)).to.not.include('link.csv')
    expect(await source.stat('link.csv')).to.equal(undefined)
    symlinkSync(join(top, 'secret'), join(root, 'out', 'moved'))
    writeFileSync(join(root, 'out', 'b.csv'), 'x')
    expect(await source.move('b.csv', 'moved', 'b.csv').catch(() => 'refused')).to.equal('refused')
    expect(readdirSync(join(top, 'secret'))).to.deep.equal(['keys.csv'])
  })

  it('may be away', async () => {
    expect(await refused('nothing')).to.be.instanceOf(Unavailable)
  })
})
